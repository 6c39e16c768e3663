"""Numbers of dots can be read however close together the dots are."""

import math
import random
import re

import pytest

from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.plot import Plot


@pytest.mark.parametrize("count", [3, 8, 15])
def test_the_numbers_of_dots_that_lie_together_keep_apart(count: int) -> None:
    rng = random.Random(count)
    points = [(1 + rng.random() / 10, 100 + 5 * rng.random()) for _ in range(count)]
    plot = Plot(Axis("ms", 0.5, 2.0, 62, 466, is_log=True), Axis("Elo", -330.0, 330.0, 200, 10))
    plot.numbers(points)
    drawn = plot.inline("label")
    places = [
        (float(found[1]), float(found[2]), int(found[3]))
        for found in re.finditer(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*halo[^>]*>(\d+)</text>', drawn)
    ]
    assert [number for *_, number in places] == list(range(1, count + 1))
    for at, (a, b, _) in enumerate(places):
        assert all(math.hypot(a - c, b - d) >= 12.4 for c, d, _ in places[:at])
        assert 62 < a < 480
