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

from starspiel.agents.seats.cpu_time import CpuTime
from starspiel.agents.seats.keeper import SUBREAPER, descendants
from starspiel.agents.seats.memory import memory_of
from starspiel.agents.seats.protocol import SeatError

#: The variable by which a seat's processes are found where their keeper is gone: it holds the seat's folder.
MARK = "STARSPIEL_SEAT"
#: Processes are looked for so many times at most: who forks faster than it is stopped has lost.
_SWEEPS = 100


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
        self._cpu = CpuTime(keeper, engine)
        #: The last process of the machine when these were looked at.
        self._last: bytes | None = None
        self._is_told = last_pid() != before
        self._is_resting = False
        _KEEPERS.add(keeper)

    def stop(self) -> None:
        """Stops all of them. Raises SeatError where they cannot be caught."""
        self._signal_group(signal.SIGSTOP)
        self._is_resting = True
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
        self._is_resting = False
        for pid in self._stopped:
            _kill(pid, signal.SIGCONT)
        self._signal_group(signal.SIGCONT)
        self._cpu.go_on()

    def end(self, folder: str) -> None:
        """Ends what is left of them when their keeper has been killed.

        These are the processes that were seen, those with the seat's mark in their environment, and in a
        worker all that have lost their parents.
        """
        for _ in range(_SWEEPS):
            left = {*self._cpu.still_there(), *_marked(folder), *_orphans()}
            if not left:
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
        """CPU seconds that they have used so far, all threads; wall-clock seconds without /proc."""
        if sys.platform != "linux":
            return time.perf_counter()
        if not self._is_resting and not self._is_alone():
            self._look()
        return self._cpu.seconds()

    def memory(self, enough: int) -> int:
        """Bytes of memory that they hold together: see `memory_of`."""
        return memory_of(self._pids, enough)

    def begin_wait(self) -> None:
        """From now on, `time_lost` counts anew."""
        self._look()
        self._cpu.begin_wait()

    def time_lost(self) -> float:
        """Seconds that others have kept them from a processor: see `CpuTime.time_lost`."""
        self._look()
        return self._cpu.time_lost()

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(OSError):
            os.killpg(self._engine, number)

    @property
    def _pids(self) -> list[int]:
        return descendants(self._keeper) or [self._engine]

    def _is_alone(self) -> bool:
        """Whether the engine has surely started nothing since the last look, and nothing was there then."""
        if sys.platform != "linux":
            return True
        return self._is_told and self._last == last_pid() and self._cpu.is_of_one

    def _look(self) -> None:
        self._last = last_pid()
        self._cpu.look(self._pids)


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
