"""Throw: an outcome drawn from listed chances."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

#: Tuples of outcomes whose sums are kept.
_KEPT = 2**14


class Throw:
    """A function from (outcome, probability) pairs and a number in [0, 1) to the outcome drawn by it.

    That is the first outcome up to which the probabilities add up to more than the number, so an outcome of
    probability 0 is never drawn. They are added up once for a tuple that comes again and again.
    """

    def __init__(self) -> None:
        # Tuples by their `id`, with the sums.
        self._known: dict[int, tuple[Sequence[tuple[int, float]], list[float]]] = {}

    def __call__(self, outcomes: Sequence[tuple[int, float]], uniform: float) -> int:
        known = self._known.get(id(outcomes))
        sums = known[1] if known is not None and known[0] is outcomes else self._added_up(outcomes)
        place = bisect_right(sums, uniform)
        if place == len(sums):  # the probabilities sum to 1 only up to rounding
            place = sums.index(sums[-1])
        return outcomes[place][0]

    def _added_up(self, outcomes: Sequence[tuple[int, float]]) -> list[float]:
        sums = list(accumulate([chance for _, chance in outcomes]))
        if type(outcomes) is tuple:  # a list may change
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[id(outcomes)] = outcomes, sums
        return sums

    def __reduce__(self) -> tuple[type["Throw"], tuple[()]]:
        return Throw, ()  # In a copy, or another process, the ids are others.
