"""How far values that are swept until they settle have come."""

import math

from starspiel.agents.solve.positions import Progress


class Settling:
    """Tells in percent how far sweeps have come.

    The greatest change of a sweep shrinks by about the same factor each time, so what counts is its logarithm
    on the way from the first sweep's to the one that is small enough.

    Args:
        what: is being done.
        enough: the change that ends it.
        tell: called with `what`, the percent, 100.
    """

    def __init__(self, what: str, enough: float, tell: Progress) -> None:
        self._what = what
        self._enough = enough
        self._tell = tell
        self._first = 0.0
        self._percent = 0
        tell(what, 0, 100)

    def swept(self, change: float) -> None:
        """A sweep changed a value by so much at most."""
        self._first = max(self._first, change)
        if change <= self._enough:
            self._percent = 100
        else:
            way = math.log(self._first / change) / math.log(self._first / self._enough)
            self._percent = max(self._percent, min(99, int(100 * way)))
        self._tell(self._what, self._percent, 100)
