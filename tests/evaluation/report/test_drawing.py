"""Numbers of dots can be read however close together the dots are."""

import math
import random
import re

import pytest

from starspiel.evaluation.report.drawing import axes, scatter_plot


@pytest.mark.parametrize("count", [3, 8, 15])
def test_the_numbers_of_dots_that_lie_together_keep_apart(count: int) -> None:
    rng = random.Random(count)
    points = [
        (f"agent {n}", 1 + rng.random() / 10, 100 + 5 * rng.random(), 90.0, 120.0) for n in range(count)
    ]
    x, y = axes("ms", "Elo", [(0.5, -300.0), (2.0, 300.0)], ratios=True)
    drawn = scatter_plot(points, [], x, y, "label")
    places = [
        (float(found[1]), float(found[2]), int(found[3]))
        for found in re.finditer(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*paint-order[^>]*>(\d+)</text>', drawn)
    ]
    assert [number for *_, number in places] == list(range(1, count + 1))
    for at, (a, b, _) in enumerate(places):
        assert all(math.hypot(a - c, b - d) >= 12.4 for c, d, _ in places[:at])
        assert 62 < a < 480
