"""Stops, resumes and ends the processes of a seat: an engine and everything that it has started, in any
session.

They are found in /proc as descendants of the seat's keeper, which adopts orphans. On other systems than
Linux, only the engine and its process group are known.
"""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from starspiel.agents.seats.keeper import descendants
from starspiel.agents.seats.usage import Usage
from starspiel.envs.errors import SeatError

#: The environment variable that marks a seat's processes by the seat's folder, to find them without their
#: keeper.
MARK = "STARSPIEL_SEAT"
#: The most times that new processes are looked for; an engine that forks faster than it can be stopped has
#: failed.
_SWEEPS = 100


class Tree(Usage):
    """The processes below a keeper, stopped, resumed and ended together; arguments as for Usage."""

    _stopped: frozenset[int] | set[int] = frozenset()

    def stop(self) -> None:
        """Stops all processes. Raises SeatError if new ones appear faster than they can be stopped."""
        _signal(os.killpg, self._engine, signal.SIGSTOP)
        self._is_resting = True
        if self.is_alone():
            return
        self._stopped = set()
        for _ in range(_SWEEPS):
            new = set(descendants(self._keeper)) - self._stopped - {self._engine}
            if not new:
                return self.look()
            for pid in new:
                _signal(os.kill, pid, signal.SIGSTOP)
            self._stopped |= new
        raise SeatError("broken", "it starts processes faster than they can be stopped")

    def resume(self) -> None:
        self._is_resting = False
        for pid in self._stopped:
            _signal(os.kill, pid, signal.SIGCONT)
        _signal(os.killpg, self._engine, signal.SIGCONT)
        self._looked = time.monotonic()

    def end(self, folder: str) -> None:
        """Kills what their killed keeper has left: processes seen before, and those with the seat's mark."""
        for _ in range(_SWEEPS):
            left = {*self.still_there(), *_marked(folder)}
            if not left:
                return
            for pid in left:
                _signal(os.kill, pid, signal.SIGKILL)
                with suppress(OSError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.01)


def _signal(kill: Callable[[int, int], None], pid: int, number: signal.Signals) -> None:
    with suppress(OSError):  # the process has ended
        kill(pid, number)


def _marked(folder: str) -> list[int]:
    """Returns the processes of this user that carry the mark of a seat's folder."""
    found, mark = [], f"{MARK}={folder}".encode()
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
            if name.isdigit() and mark in file.read().split(b"\0"):
                found.append(int(name))
    return found
