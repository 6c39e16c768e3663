"""Measures what the processes of a seat use: CPU seconds, time waiting for a processor, and memory."""

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
#: Two ticks: the times of processes that were waited for are rounded to ticks.
_ROUNDING = 2.0 / _TICKS


class Usage:
    """The resources used by the processes below a keeper, from repeated looks at them.

    The time of a process that has ended is reported by the process that has waited for it. If none has (its
    parent ignores SIGCHLD), it is estimated: each look at which the process had work stands for the time
    since the look before, less the time it spent waiting for a processor. The mean of this is right even if
    most processes end before they are seen.

    Args:
        keeper, engine: the process ids of the keeper and of the first process below it.
        before: `last_pid()` before the keeper was started.
    """

    def __init__(self, keeper: int, engine: int, before: bytes) -> None:
        self._keeper, self._engine = keeper, engine
        self._seen: dict[int, _Used] = {}
        #: CPU seconds of processes that have ended: when last seen; estimated at their end; and as reported
        #: by processes that waited for them or for others.
        self._gone = self._gone_at_end = self._gained = 0.0
        self._most = 0.0
        self._looked = time.monotonic()
        self._waits_from: tuple[float, float, dict[str, float]] = (0.0, 0.0, {})
        #: The machine's last process at the last look.
        self._last: bytes | None = None
        self._is_told = last_pid() != before
        self._is_resting = False

    @property
    def pids(self) -> list[int]:
        return descendants(self._keeper) or [self._engine]

    def is_alone(self) -> bool:
        """Returns whether the engine has certainly started no process since the last look, at which it was
        alone.
        """
        if sys.platform != "linux":
            return True
        was_alone = self._seen.keys() <= {self._keeper, self._engine}
        return self._is_told and was_alone and self._last == last_pid()

    def look(self) -> None:
        """Records what the processes have used so far."""
        self._last = last_pid()
        now = time.monotonic()
        since, self._looked = now - self._looked, now
        before, self._seen = self._seen, {}
        for pid in (self._keeper, *self.pids):
            with suppress(OSError):  # it has just ended
                self._seen[pid] = _used(pid, before.get(pid), since)
        if self._keeper in self._seen:  # of the keeper, only what it has waited for counts
            self._seen[self._keeper] = self._seen[self._keeper]._replace(own=0.0, running=0.0)
        for pid, used in before.items():
            later = self._seen.get(pid)
            if later is not None and used.began == later.began:
                self._gained += later.waited - used.waited
            else:
                self._gone += used.own + used.waited
                self._gone_at_end += used.at_end

    def cpu_seconds(self) -> float:
        """Returns the CPU seconds of all processes and threads so far; wall-clock seconds without /proc."""
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
        """Returns the processes of the last look that have not ended."""
        there = []
        for pid, used in self._seen.items():
            with suppress(OSError):
                if _used(pid).began == used.began and state_of(pid) != "Z":
                    there.append(pid)
        return there

    def begin_wait(self) -> None:
        """Restarts the count of `time_lost`."""
        self.look()
        self._waits_from = time.monotonic(), self.cpu_seconds(), self._delays()

    def time_lost(self) -> float:
        """Returns the seconds for which they had work but no processor, because of other processes.

        This is the longest wait of any one of their threads, but at most the time that is missing from one
        processor's full use: an engine that keeps one or more processors busy has lost nothing.
        """
        self.look()
        began, used, before = self._waits_from
        delays = self._delays()
        waited = max((delay - before.get(thread, 0.0) for thread, delay in delays.items()), default=0.0)
        missing = (time.monotonic() - began) - (self.cpu_seconds() - used)
        return max(0.0, min(waited, missing))

    def _delays(self) -> dict[str, float]:
        """Returns, by thread, the seconds that it has waited for a processor."""
        found = {}
        for pid in self._seen.keys() - {self._keeper}:
            with suppress(OSError):
                for thread in os.listdir(f"/proc/{pid}/task"):
                    found[thread] = _delay(f"/proc/{pid}/task/{thread}")
        return found


class _Used(NamedTuple):
    """What a process had used when it was looked at, in seconds."""

    own: float  # CPU seconds of the process itself
    waited: float  # CPU seconds of processes that it has waited for
    began: int  # its start time, which identifies it together with its number
    delay: float  # time for which it had work, but no processor
    running: float  # time before the looks at which it had work

    @property
    def at_end(self) -> float:
        """An estimate of what it has used, once it has ended."""
        share = self.own / (self.own + self.delay) if self.own else 1.0
        return max(self.own, share * self.running) + self.waited


def _used(pid: int, before: _Used | None = None, since: float = 0.0) -> _Used:
    """Takes a look at a process, `since` seconds after the last one. Raises OSError if it has ended."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    waited, began = (int(fields[13]) + int(fields[14])) / _TICKS, int(fields[19])
    running = since if fields[0] == b"R" else 0.0
    if before is not None and before.began == began:
        running += before.running
    return _Used(_clock(pid), waited, began, _delay(f"/proc/{pid}"), running)


def _clock(pid: int) -> float:
    """Returns the CPU seconds of a process itself, to the nanosecond; 0 if it has ended."""
    with suppress(OSError):
        return time.clock_gettime(~pid << 3 | 2)  # the clock id of a process on Linux
    return 0.0


def _delay(thread: str) -> float:
    """Returns the seconds that a thread has waited for a processor; 0 if the system does not tell."""
    with suppress(OSError, IndexError), open(f"{thread}/schedstat", "rb") as file:
        return int(file.read().split()[1]) * 1e-9
    return 0.0


@cache
def _loadavg() -> int:
    return os.open("/proc/loadavg", os.O_RDONLY)


def last_pid() -> bytes:
    """Returns the number of the machine's last process or thread; empty if the system does not tell.

    As long as it stays the same, nobody has started anything. A look costs two microseconds.
    """
    with suppress(OSError):
        return os.pread(_loadavg(), 128, 0).rpartition(b" ")[2]
    return b""


def memory_of(pids: Sequence[int], enough: int) -> int:
    """Returns the bytes of memory that processes use together; an upper bound if it is at most `enough`.

    A page that several of them share counts once (by each one's share, the proportional set size). So does an
    open file in memory, whether mapped or not.
    """
    files = _files_in_memory(pids)
    resident = sum(map(_resident, pids))
    if resident + files <= enough:  # no page was missed, though some may have been counted twice
        return resident + files
    own, shared = map(sum, zip(*map(_proportional, pids), strict=True))
    return own + max(shared, files)


def _resident(pid: int) -> int:
    with suppress(OSError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * _PAGE
    return 0


def _proportional(pid: int) -> tuple[int, int]:
    """Returns the bytes of a process's own memory, and of its shared files in memory."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in file.readlines()[1:]}
    except (OSError, IndexError):  # it has ended, or shows nothing to its own user
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
