"""The CPU seconds that an engine and all that it has started use, as far as the system tells."""

import os
from contextlib import suppress
from typing import NamedTuple

from starspiel.agents.seats.keeper import descendants


class Consumed:
    """What the processes below a keeper use in a game.

    There are two sums, of which neither counts anything twice, and the greater is taken: what every process
    that was seen has used itself, so that those that have gone count; and what those that are there have used
    together with what they have waited for, which may have lived between two looks. What lives that briefly
    and is waited for by nobody (its parent ignores SIGCHLD) is in neither.

    Args:
        keeper: the process above, which waits for those that have lost their parents.
    """

    def __init__(self, keeper: int) -> None:
        self._keeper = keeper
        self._own: dict[tuple[int, int], float] = {}
        self._before = (0.0, 0.0)
        self._most = 0.0

    def begin(self) -> None:
        """Counts anew."""
        self._own.clear()
        self._before = self._look()
        self._most = 0.0

    def seconds(self) -> float:
        """CPU seconds since `begin`, of all threads; 0 where there is no /proc."""
        gained = (now - before for now, before in zip(self._look(), self._before, strict=True))
        self._most = max(self._most, *gained)
        return self._most

    def _look(self) -> tuple[float, float]:
        """Both sums."""
        living = 0.0
        with suppress(OSError):
            living = _used(self._keeper).waited
        for pid in descendants(self._keeper):
            with suppress(OSError):  # it has just gone
                used = _used(pid)
                self._own[pid, used.began] = used.own
                living += used.own + used.waited
        return sum(self._own.values()), living


class _Used(NamedTuple):
    """CPU seconds of a process itself and of those that it has waited for, and when it began."""

    own: float
    waited: float
    began: int


def _used(pid: int) -> _Used:
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    own, system, waited, waited_system = (int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in fields[11:15])
    return _Used(own + system, waited + waited_system, int(fields[19]))
