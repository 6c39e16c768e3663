"""Balanced designs: every two points together equally often."""

from collections import Counter
from itertools import combinations

import pytest

from starspiel.evaluation.play.designs import design, often


@pytest.mark.parametrize(
    ("points", "size", "sets"),
    [(6, 3, 10), (7, 3, 7), (9, 3, 12), (13, 4, 13), (8, 4, 14), (5, 4, 5), (11, 5, 11), (8, 3, 56)],
)
def test_designs_are_as_short_as_there_are(points, size, sets):
    """Of these the shortest are known: planes, biplanes and those whose numbers have to be whole."""
    found = design(points, size)
    assert len(found) == sets
    assert {len(set(own)) for own in found} == {size}
    together = Counter(two for own in found for two in combinations(sorted(own), 2))
    assert set(together.values()) == {often(found)}
    assert len(together) == points * (points - 1) // 2


def test_a_design_that_would_be_long_is_none():
    """Every two of 12 in tens: no fewer than 66 sets, in 45 of which each two are."""
    assert design(12, 10) == ()
    assert design(60, 6) == ()
