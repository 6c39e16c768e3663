"""The CPU seconds of a seat's processes, and those that the machine has kept from them."""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
#: Twice a tick: what is said of processes that were waited for is rounded to those.
_ROUNDING = 2.0 / _TICKS


class CpuTime:
    """What the processes below a keeper have used, from looks at them.

    Those that have gone count by what the process that has waited for them says. If nobody has (their parent
    ignores SIGCHLD), each look at which one had work stands for the time since the look before, less what it
    spent waiting for a processor: in the mean that is right also if most live too briefly to be seen.

    Args:
        keeper: the process above, which waits for those that have lost their parents.
        engine: the first of them.
    """

    def __init__(self, keeper: int, engine: int) -> None:
        self._keeper, self._engine = keeper, engine
        self._seen: dict[int, _Used] = {}
        self._keeper_waited = 0.0
        #: Of those that have gone: what they had used when they were last seen, what they have used at their
        #: end by all signs, and what those say that have waited for them, or for others.
        self._gone = self._gone_at_end = self._gained = 0.0
        self._most = 0.0
        self._looked = time.monotonic()
        self._waits_from: tuple[float, float, dict[str, float]] = (0.0, 0.0, {})

    @property
    def is_of_one(self) -> bool:
        """Whether the engine was alone at the last look."""
        return not self._seen.keys() - {self._engine}

    def go_on(self) -> None:
        """They were stopped, and run again."""
        self._looked = time.monotonic()

    def look(self, pids: Iterable[int]) -> None:
        """Notes what they have used by now; `pids` are all that there are."""
        now = time.monotonic()
        since, self._looked = now - self._looked, now
        before, self._seen = self._seen, {}
        for pid in pids:
            with suppress(OSError):  # it has just gone
                self._seen[pid] = _used(pid, before.get(pid), since)
        waited = self._keeper_waited
        with suppress(OSError):  # it has been killed
            self._keeper_waited = _used(self._keeper).waited
        self._gained += self._keeper_waited - waited
        for pid, used in before.items():
            later = self._seen.get(pid)
            if later is not None and used.is_same(later):
                self._gained += later.waited - used.waited
            else:
                self._gone += used.own + used.waited
                self._gone_at_end += used.at_end

    def seconds(self) -> float:
        """CPU seconds of all of them so far: of the engine by now, of the others at the last look."""
        used = _clock(self._engine) + self._keeper_waited
        for pid, each in self._seen.items():
            used += each.waited + (0.0 if pid == self._engine else each.own)
        missing = self._gone - self._gained - _ROUNDING
        if missing > 0.0:
            used += missing / self._gone * self._gone_at_end
        self._most = max(self._most, used)
        return self._most

    def still_there(self) -> list[int]:
        """Those of the last look that have not ended."""
        there = []
        for pid, used in self._seen.items():
            with suppress(OSError):
                if used.is_same(_used(pid)):
                    there.append(pid)
        return there

    def begin_wait(self) -> None:
        """From now on, `time_lost` counts anew."""
        self._waits_from = time.monotonic(), self.seconds(), self._delays()

    def time_lost(self) -> float:
        """Seconds for which they had work and no processor, by the fault of others.

        That is what one of their threads has waited for, but no more than is missing of one processor: who
        keeps one busy, or several, has lost nothing.
        """
        began, used, before = self._waits_from
        delays = self._delays()
        waited = max((delay - before.get(thread, 0.0) for thread, delay in delays.items()), default=0.0)
        missing = (time.monotonic() - began) - (self.seconds() - used)
        return max(0.0, min(waited, missing))

    def _delays(self) -> dict[str, float]:
        """By thread: seconds that it has waited for a processor."""
        found = {}
        for pid in self._seen:
            with suppress(OSError):
                for thread in os.listdir(f"/proc/{pid}/task"):
                    found[thread] = _delay(f"/proc/{pid}/task/{thread}")
        return found


class _Used(NamedTuple):
    """What a process has used when it is looked at.

    Attributes:
        own, waited: CPU seconds of itself and of those that it has waited for.
        began: when it began; with its number that names it.
        delay: seconds for which it had work, and no processor.
        running: the seconds before the looks at which it had work.
    """

    own: float
    waited: float
    began: int
    delay: float
    running: float

    @property
    def at_end(self) -> float:
        """What it has used, as far as can be told when it has gone."""
        share = self.own / (self.own + self.delay) if self.own else 1.0
        return max(self.own, share * self.running) + self.waited

    def is_same(self, other: "_Used") -> bool:
        """Whether these are two looks at one process."""
        return self.began == other.began


def _used(pid: int, before: _Used | None = None, since: float = 0.0) -> _Used:
    """A look at a process, so many seconds after the last one. Raises OSError where there is none."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    waited = (int(fields[13]) + int(fields[14])) / _TICKS
    running = since if fields[0] == b"R" else 0.0
    now = _Used(_clock(pid), waited, began=int(fields[19]), delay=_delay(f"/proc/{pid}"), running=running)
    return (
        now._replace(running=before.running + now.running)
        if before is not None and now.is_same(before)
        else now
    )


def _clock(pid: int) -> float:
    """CPU seconds of a process itself, to the nanosecond; 0 where it has gone."""
    with suppress(OSError):
        return time.clock_gettime(~pid << 3 | 2)  # the clock of a process, as Linux numbers them
    return 0.0


def _delay(thread: str) -> float:
    """Seconds that a thread has waited for a processor; 0 where the system does not tell."""
    with suppress(OSError, IndexError), open(f"{thread}/schedstat", "rb") as file:
        return int(file.read().split()[1]) * 1e-9
    return 0.0
