"""The processes of a seat: an engine and all that it has started, in whatever session they are.

They are found in /proc as descendants of the seat's keeper, which orphans come to. Elsewhere than on Linux
only the engine and its process group are known.
"""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from typing import NamedTuple

from starspiel.agents.seats.keeper import SUBREAPER, descendants
from starspiel.agents.seats.protocol import SeatError

#: While an engine is asked, what its processes use is looked at this often, in seconds.
LOOK_SECONDS = 0.02
#: They are looked for so many times at most: who forks faster than it is stopped has lost.
_SWEEPS = 100
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Tree:
    """The processes below a keeper.

    Args:
        keeper: the process above them.
        engine: the one that it has started, in a session and a process group of its own.
        before: `last_pid()` before the keeper was started.
    """

    def __init__(self, keeper: int, engine: int, before: bytes) -> None:
        self._keeper, self._engine = keeper, engine
        self._stopped: set[int] = set()
        self._seen: dict[int, _Used] = {}
        self._keeper_waited = 0.0
        self._lost = 0.0
        self._most = 0.0
        self._looked = time.monotonic()
        self._is_fresh = False
        #: The last process of the machine when this was looked at; None if it is not told, or wrongly.
        self._last: bytes | None = None
        self._is_told = last_pid() != before
        self._delays: dict[str, int] = {}
        self._waits_from = (0.0, 0.0)
        _KEEPERS.add(keeper)

    def stop(self) -> None:
        """Stops all of them. Raises SeatError where they cannot be caught."""
        self._signal_group(signal.SIGSTOP)
        self._is_fresh = True
        if self._is_alone():
            return
        known = {self._engine}
        for _ in range(_SWEEPS):
            new = set(descendants(self._keeper)) - known
            if not new:
                break
            for pid in new:
                _kill(pid, signal.SIGSTOP)
            known |= new
        else:
            raise SeatError("broken", "it starts processes faster than they can be stopped")
        self._stopped = known - {self._engine}
        self._look()

    def resume(self) -> None:
        """Has them go on."""
        self._is_fresh = False
        for pid in self._stopped:
            _kill(pid, signal.SIGCONT)
        self._signal_group(signal.SIGCONT)
        self._looked = time.monotonic()

    def end(self, folder: str) -> None:
        """Ends what is left of them when their keeper has been killed.

        These are the processes that were seen, those with the seat's mark in their environment, and in a
        worker all that have lost their parents.
        """
        for _ in range(_SWEEPS):
            seen = [pid for pid, used in self._seen.items() if used.is_same(_look_at(pid))]
            if not (left := {*seen, *_marked(folder), *_orphans()}):
                return
            for pid in left:
                _kill(pid, signal.SIGKILL)
                with suppress(OSError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.01)

    def forget(self) -> None:
        """The keeper has ended."""
        _KEEPERS.discard(self._keeper)

    def cpu_seconds(self) -> float:
        """CPU seconds that they have used so far, all threads; wall-clock seconds without /proc.

        Those that have gone count by what the process that has waited for them says. If nobody has (their
        parent ignores SIGCHLD), each look at which one was running stands for the time since the look before:
        in the mean that is right also if they live so briefly that most are never seen.
        """
        if sys.platform != "linux":
            return time.perf_counter()
        if not self._is_fresh and not self._is_alone():
            self._look()
        own = _clock(self._engine)
        rest = sum(used.total for pid, used in self._seen.items() if pid != self._engine)
        waited = self._seen[self._engine].waited if self._engine in self._seen else 0.0
        self._most = max(self._most, own + rest + waited + self._keeper_waited + self._lost)
        return self._most

    def memory(self, enough: int) -> int:
        """Bytes of memory that they hold together; up to `enough` it may be less than what this returns.

        A page that several have counts once (by its share in each, the proportional set size), and so does a
        file in memory that is open, mapped or not.
        """
        pids = descendants(self._keeper) or [self._engine]
        files = _files_in_memory(pids)
        resident = sum(map(_resident, pids))
        if resident + files <= enough:
            return resident + files
        own, shared = map(sum, zip(*map(_proportional, pids), strict=True))
        return own + max(shared, files)

    def begin_wait(self) -> None:
        """From now on, `time_lost` counts anew."""
        self._delays = _delays([self._engine, *descendants(self._keeper)])
        self._waits_from = time.monotonic(), self.cpu_seconds()

    def time_lost(self) -> float:
        """Seconds that others have kept them from a processor for which they had work.

        That is what one of their threads has waited for, but no more than is missing of one processor: who
        keeps one busy, or several, has lost nothing.
        """
        now = _delays([self._engine, *descendants(self._keeper)])
        waited = max((delay - self._delays.get(thread, 0) for thread, delay in now.items()), default=0) * 1e-9
        began, used = self._waits_from
        missing = (time.monotonic() - began) - (self.cpu_seconds() - used)
        return max(0.0, min(waited, missing))

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(OSError):
            os.killpg(self._engine, number)

    def _is_alone(self) -> bool:
        """Whether the engine has surely started nothing that is there, or that was not seen to end."""
        if sys.platform != "linux":
            return True
        if self._is_told and self._last == last_pid():
            return not self._seen.keys() - {self._engine}
        return False

    def _look(self) -> None:
        """Finds what there is, and what it has used."""
        self._last = last_pid()
        now = time.monotonic()
        since, self._looked = now - self._looked, now
        before, self._seen = self._seen, {}
        for pid in descendants(self._keeper):
            with suppress(OSError):  # it has just gone
                self._seen[pid] = _used(pid, before.get(pid), since)
        gained = -self._keeper_waited
        with suppress(OSError):  # it has been killed
            self._keeper_waited = _used(self._keeper).waited
        gained += self._keeper_waited + sum(
            used.waited - before[pid].waited
            for pid, used in self._seen.items()
            if used.is_same(before.get(pid))
        )
        gone = sum(used.at_end for pid, used in before.items() if not used.is_same(self._seen.get(pid)))
        self._lost += max(0.0, gone - gained)


class _Used(NamedTuple):
    """What a process has used when it is looked at.

    Attributes:
        own, waited: CPU seconds of itself and of those that it has waited for.
        began: when it began; with its number that names it.
        running: the seconds before the looks at which it was running.
    """

    own: float
    waited: float
    began: int
    running: float

    @property
    def total(self) -> float:
        return self.own + self.waited

    @property
    def at_end(self) -> float:
        """What it has used, as far as can be told when it has gone."""
        return max(self.own, self.running) + self.waited

    def is_same(self, other: "_Used | None") -> bool:
        """Whether these are two looks at one process."""
        return other is not None and self.began == other.began


def _used(pid: int, before: _Used | None = None, since: float = 0.0) -> _Used:
    """A look at a process, `since` so many seconds after the last one. Raises OSError where there is none."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    waited = (int(fields[13]) + int(fields[14])) / _TICKS
    now = _Used(_clock(pid), waited, began=int(fields[19]), running=since if fields[0] == b"R" else 0.0)
    return now._replace(running=before.running + now.running) if before and now.is_same(before) else now


def _look_at(pid: int) -> _Used | None:
    with suppress(OSError):
        return _used(pid)
    return None


def _clock(pid: int) -> float:
    """CPU seconds of a process itself, to the nanosecond; 0 where it has gone."""
    with suppress(OSError):
        return time.clock_gettime(~pid << 3 | 2)  # the clock of a process, as Linux numbers them
    return 0.0


def _delays(pids: list[int]) -> dict[str, int]:
    """By thread: nanoseconds that it has waited for a processor."""
    found = {}
    for pid in pids:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
                    found[thread] = int(file.read().split()[1])
    return found


def _resident(pid: int) -> int:
    with suppress(OSError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * _PAGE
    return 0


def _proportional(pid: int) -> tuple[int, int]:
    """Bytes of a process's own memory and of its files in memory; a page of several has its share in each."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in file.readlines()[1:]}
    except (OSError, IndexError):  # it has gone, or shows nothing to its own user
        return _resident(pid), 0
    shared = sizes.get(b"Pss_Shmem:", 0)
    return sizes[b"Pss:"] - shared, shared


def _files_in_memory(pids: list[int]) -> int:
    """Bytes of the files that they have open and that lie in memory alone."""
    found = {}
    for pid in pids:
        with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as files:
            for file in files:
                with suppress(OSError):
                    name = os.readlink(file.path)
                    if name.startswith(("/memfd:", "/dev/shm/")):
                        about = os.stat(file.path)
                        found[about.st_dev, about.st_ino] = about.st_blocks * 512
    return sum(found.values())


def last_pid() -> bytes:
    """The number of the last process or thread that was started on this machine; empty if it is not told.

    As long as it stays the same nobody has started anything: a look that costs two microseconds.
    """
    global _loadavg
    try:
        if _loadavg is None:
            _loadavg = os.open("/proc/loadavg", os.O_RDONLY)
        return os.pread(_loadavg, 128, 0).rpartition(b" ")[2]
    except OSError:
        return b""


_loadavg: int | None = None


def state_of(pid: int | None) -> str:
    """Its state as `ps` has it, such as T for stopped; empty where there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0].decode()
    except OSError:
        return ""


def _kill(pid: int, number: signal.Signals) -> None:
    with suppress(OSError):
        os.kill(pid, number)


#: The variable by which a seat's processes are found where their keeper is gone: it holds the seat's folder.
MARK = "STARSPIEL_SEAT"


#: The keepers that this process has started.
_KEEPERS: set[int] = set()
_adopts = False


def adopt_orphans() -> None:
    """Has processes that lose their parents come to this one, which ends them: see `Tree.end`."""
    global _adopts
    if sys.platform == "linux":
        _adopts = not ctypes.CDLL(None).prctl(SUBREAPER, 1)


def _orphans() -> list[int]:
    """What came to this process: what it has started itself is in its session, or a keeper."""
    found: list[int] = []
    for pid in descendants(os.getpid(), 1) if _adopts else []:
        with suppress(OSError):
            if pid not in _KEEPERS and os.getsid(pid) != os.getsid(0):
                found += [pid, *descendants(pid)]
    return found


def _marked(folder: str) -> list[int]:
    """The processes that have kept the mark of a seat's folder."""
    mark = f"{MARK}={folder}".encode()
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()] if os.path.isdir("/proc") else []
    return [pid for pid in pids if mark in _environment(pid)]


def _environment(pid: int) -> list[bytes]:
    """The variables that it was started with; none of those of other users."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []
