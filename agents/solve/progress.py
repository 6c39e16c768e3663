"""Reports the progress of a solver."""

import math
from collections.abc import Callable

#: Called with (description, amount done, total amount or None).
Progress = Callable[[str, int, int | None], None]


class Settling:
    """Reports, in percent, how far value iteration has converged.

    The greatest change of a sweep shrinks by about the same factor each time. So progress is measured on a
    logarithmic scale, from the change of the first sweep to `enough`, the change that ends it.
    """

    def __init__(self, what: str, enough: float, tell: Progress) -> None:
        self._what, self._enough, self._tell = what, enough, tell
        self._first, self._percent = 0.0, 0
        tell(what, 0, 100)

    def swept(self, change: float) -> None:
        """Records the greatest change of a sweep."""
        self._first = max(self._first, change)
        if change <= self._enough:
            self._percent = 100
        else:
            way = math.log(self._first / change) / math.log(self._first / self._enough)
            self._percent = max(self._percent, min(99, int(100 * way)))
        self._tell(self._what, self._percent, 100)
