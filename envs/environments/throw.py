"""Draws an outcome from listed chances."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from starspiel.envs.cache import ByIdentity


def throw(outcomes: Sequence[tuple[int, float]], uniform: float) -> int:
    """Returns the outcome that a number in [0, 1) selects from (outcome, probability) pairs.

    It is the first outcome up to which the probabilities add up to more than the number, so that outcomes of
    probability 0 are never drawn.
    """
    sums = _sums(outcomes)
    place = bisect_right(sums, uniform)
    if place == len(sums):  # the probabilities sum to 1 only up to rounding
        place = sums.index(sums[-1])
    return outcomes[place][0]


_sums: ByIdentity[Any, list[float]] = ByIdentity(
    lambda outcomes: list(accumulate([chance for _, chance in outcomes]))
)
