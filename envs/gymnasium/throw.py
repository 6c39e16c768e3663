"""Throw: an outcome drawn from listed chances."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


class Throw:
    """A function from (outcome, probability) pairs and a number in [0, 1) to the outcome drawn by it.

    That is the first outcome up to which the probabilities add up to more than the number, so an outcome of
    probability 0 is never drawn. They are added up once for outcomes that come as one tuple again and again.
    """

    def __init__(self) -> None:
        self._outcomes: Sequence[tuple[int, float]] | None = None
        self._sums: list[float] = []

    def __call__(self, outcomes: Sequence[tuple[int, float]], uniform: float) -> int:
        if outcomes is not self._outcomes:
            self._sums = list(accumulate(chance for _, chance in outcomes))
            self._outcomes = outcomes if type(outcomes) is tuple else None  # a list may change
        place = bisect_right(self._sums, uniform)
        if place == len(self._sums):  # the probabilities sum to 1 only up to rounding
            place = self._sums.index(self._sums[-1])
        return outcomes[place][0]
