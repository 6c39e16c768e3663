"""What the processes of a seat use: CPU seconds, what the machine has kept from them, and memory."""

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from starspiel.agents.processes import state_of
from starspiel.agents.seats.keeper import descendants

_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
#: Twice a tick: what is said of processes that were waited for is rounded to those.
_ROUNDING = 2.0 / _TICKS


class Usage:
    """What the processes below a keeper have used, from looks at them.

    Those that have gone count by what the process that has waited for them says. If nobody has (their parent
    ignores SIGCHLD), each look at which one had work stands for the time since the look before, less what it
    spent waiting for a processor: in the mean that is right also if most live too briefly to be seen.

    Args:
        keeper, engine: the process above them, and the first of them.
        before: `last_pid()` before the keeper was started.
    """

    def __init__(self, keeper: int, engine: int, before: bytes) -> None:
        self._keeper, self._engine = keeper, engine
        self._seen: dict[int, _Used] = {}
        #: CPU seconds of those that have gone: when they were last seen, at their end by all signs, and by
        #: those who waited for them, or for others.
        self._gone = self._gone_at_end = self._gained = 0.0
        self._most = 0.0
        self._looked = time.monotonic()
        self._waits_from: tuple[float, float, dict[str, float]] = (0.0, 0.0, {})
        #: The last process of the machine at the last look.
        self._last: bytes | None = None
        self._is_told = last_pid() != before
        self._is_resting = False

    @property
    def pids(self) -> list[int]:
        return descendants(self._keeper) or [self._engine]

    def is_alone(self) -> bool:
        """Whether the engine has surely started nothing since the last look, and nothing was there then."""
        if sys.platform != "linux":
            return True
        was_alone = self._seen.keys() <= {self._keeper, self._engine}
        return self._is_told and was_alone and self._last == last_pid()

    def look(self) -> None:
        """Notes what they have used by now."""
        self._last = last_pid()
        now = time.monotonic()
        since, self._looked = now - self._looked, now
        before, self._seen = self._seen, {}
        for pid in (self._keeper, *self.pids):
            with suppress(OSError):  # it has just gone
                self._seen[pid] = _used(pid, before.get(pid), since)
        if self._keeper in self._seen:  # of it, only those count that it has waited for
            self._seen[self._keeper] = self._seen[self._keeper]._replace(own=0.0, running=0.0)
        for pid, used in before.items():
            later = self._seen.get(pid)
            if later is not None and used.began == later.began:
                self._gained += later.waited - used.waited
            else:
                self._gone += used.own + used.waited
                self._gone_at_end += used.at_end

    def cpu_seconds(self) -> float:
        """CPU seconds of all of them so far, all threads; wall-clock seconds without /proc."""
        if sys.platform != "linux":
            return time.perf_counter()
        if not self._is_resting and not self.is_alone():
            self.look()
        used = _clock(self._engine)
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
                if _used(pid).began == used.began and state_of(pid) != "Z":
                    there.append(pid)
        return there

    def begin_wait(self) -> None:
        """From now on, `time_lost` counts anew."""
        self.look()
        self._waits_from = time.monotonic(), self.cpu_seconds(), self._delays()

    def time_lost(self) -> float:
        """Seconds for which they had work and no processor, by the fault of others.

        That is what one of their threads has waited for, but no more than is missing of one processor: who
        keeps one busy, or several, has lost nothing.
        """
        self.look()
        began, used, before = self._waits_from
        delays = self._delays()
        waited = max((delay - before.get(thread, 0.0) for thread, delay in delays.items()), default=0.0)
        missing = (time.monotonic() - began) - (self.cpu_seconds() - used)
        return max(0.0, min(waited, missing))

    def _delays(self) -> dict[str, float]:
        """By thread: seconds that it has waited for a processor."""
        found = {}
        for pid in self._seen.keys() - {self._keeper}:
            with suppress(OSError):
                for thread in os.listdir(f"/proc/{pid}/task"):
                    found[thread] = _delay(f"/proc/{pid}/task/{thread}")
        return found


class _Used(NamedTuple):
    """What a process has used when it is looked at, in seconds."""

    own: float  # CPU seconds of itself
    waited: float  # and of those that it has waited for
    began: int  # with its number that names it
    delay: float  # for which it had work, and no processor
    running: float  # before the looks at which it had work

    @property
    def at_end(self) -> float:
        """What it has used, as far as can be told when it has gone."""
        share = self.own / (self.own + self.delay) if self.own else 1.0
        return max(self.own, share * self.running) + self.waited


def _used(pid: int, before: _Used | None = None, since: float = 0.0) -> _Used:
    """A look at a process, so many seconds after the last one. Raises OSError if there is none."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    waited, began = (int(fields[13]) + int(fields[14])) / _TICKS, int(fields[19])
    running = since if fields[0] == b"R" else 0.0
    if before is not None and before.began == began:
        running += before.running
    return _Used(_clock(pid), waited, began, _delay(f"/proc/{pid}"), running)


def _clock(pid: int) -> float:
    """CPU seconds of a process itself, to the nanosecond; 0 if it has gone."""
    with suppress(OSError):
        return time.clock_gettime(~pid << 3 | 2)  # the clock of a process, as Linux numbers them
    return 0.0


def _delay(thread: str) -> float:
    """Seconds that a thread has waited for a processor; 0 if the system does not tell."""
    with suppress(OSError, IndexError), open(f"{thread}/schedstat", "rb") as file:
        return int(file.read().split()[1]) * 1e-9
    return 0.0


@cache
def _loadavg() -> int:
    return os.open("/proc/loadavg", os.O_RDONLY)


def last_pid() -> bytes:
    """The last process or thread that was started on this machine; empty if the system does not tell.

    As long as it stays the same nobody has started anything: a look that costs two microseconds.
    """
    with suppress(OSError):
        return os.pread(_loadavg(), 128, 0).rpartition(b" ")[2]
    return b""


def memory_of(pids: Sequence[int], enough: int) -> int:
    """Bytes of memory that processes hold together; up to `enough` it may be less than what this returns.

    A page that several have counts once (by its share in each, the proportional set size), and so does a file
    in memory that is open, mapped or not.
    """
    files = _files_in_memory(pids)
    resident = sum(map(_resident, pids))
    if resident + files <= enough:  # no page was missed, some may have been counted twice
        return resident + files
    own, shared = map(sum, zip(*map(_proportional, pids), strict=True))
    return own + max(shared, files)


def _resident(pid: int) -> int:
    with suppress(OSError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * _PAGE
    return 0


def _proportional(pid: int) -> tuple[int, int]:
    """Bytes of a process's own memory, and of its shared files in memory."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in file.readlines()[1:]}
    except (OSError, IndexError):  # it has gone, or shows nothing to its own user
        return _resident(pid), 0
    shared = sizes.get(b"Pss_Shmem:", 0)
    return sizes.get(b"Pss:", 0) - shared, shared


def _files_in_memory(pids: Sequence[int]) -> int:
    found = {}
    for pid in pids:
        with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as files:
            for file in files:
                with suppress(OSError):
                    if os.readlink(file.path).startswith(("/memfd:", "/dev/shm/")):
                        about = os.stat(file.path)
                        found[about.st_dev, about.st_ino] = about.st_blocks * 512
    return sum(found.values())
