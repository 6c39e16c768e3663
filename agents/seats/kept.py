"""Provides `KeptProcess`: an engine's process with its keeper."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Pipe
from typing import Any

from starspiel.agents.processes import ending
from starspiel.agents.seats import keeper
from starspiel.agents.seats.tree import MARK, Tree
from starspiel.agents.seats.usage import last_pid
from starspiel.envs.errors import SeatError, StarspielError

#: A keeper that takes longer than this to answer, or to end an engine, is killed together with it.
_KEEPER_SECONDS = 4.0
#: The most lines and characters of an engine's output in a message.
_LINES, _CHARACTERS = 5, 400
#: Whether to prevent an engine from signalling processes that it has not started, if the system supports
#: this.
_FENCED = True


class KeptProcess:
    """A running program, with pipes to its standard input and output.

    Raises StarspielError if the machine has no room for another process, which is not the engine's fault.

    Attributes:
        command: the command that runs.
        pid: the process id of the engine itself.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.command = tuple(command)
        self._ended: dict[str, Any] | None = None  # the last message of its keeper
        try:
            self._start()
        except OSError as error:
            raise _no_room(error.strerror or str(error)) from None

    def _start(self) -> None:
        self._control, its = Pipe()
        self._folder = tempfile.mkdtemp(prefix="starspiel-seat-")
        before = last_pid()
        command = [sys.executable, "-I", "-S", keeper.__file__, str(its.fileno()), self._folder]
        try:
            self._keeper = subprocess.Popen(
                [*command, str(int(_FENCED)), *self.command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=[its.fileno()],
                start_new_session=True,
                env=os.environ | {"PYTHONHASHSEED": "0", MARK: self._folder},
                bufsize=0,
            )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        its.close()
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        self._in, self._out = self._keeper.stdin.fileno(), self._keeper.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._control.fileno(), select.POLLIN)
        self.pid = int((self._from_keeper() or {}).get("pid", 0))
        if not self.pid:
            self.close()
            raise _no_room("its keeper could not start it")
        self._tree = Tree(self._keeper.pid, self.pid, before)

    def cpu_seconds(self) -> float:
        """Returns the CPU seconds that its processes have used: see `Usage.cpu_seconds`."""
        return self._tree.cpu_seconds()

    def printed(self) -> str:
        """Returns the end of its output since the last call, as the end of a sentence; or an empty string."""
        said: dict[str, Any] | None = self._ended
        if said is None:
            with suppress(OSError):
                os.write(self._control.fileno(), b"t")
            while (said := self._from_keeper()) is not None and not said.keys() & {"printed", "ended"}:
                pass
        lines = [line.strip() for line in (said or {}).pop("printed", "").splitlines() if line.strip()]
        return f"; it printed: {' | '.join(lines[-_LINES:])[-_CHARACTERS:]}" if lines else ""

    def exit_code(self, seconds: float) -> int | None:
        """Returns its exit code if it ends within `seconds`; None if not, or if its keeper was killed."""
        while self._ended is None and self._from_keeper(seconds):
            pass
        code: int | None = (self._ended or {}).get("ended")
        return code

    def close(self) -> None:
        """Ends the program and everything that it has started."""
        if self._ended is None:
            with suppress(OSError):
                os.write(self._control.fileno(), b"q")
        was_kept = self.exit_code(_KEEPER_SECONDS) is not None
        self._ended = self._ended or {"ended": None}
        self._control.close()
        for pipe in (self._keeper.stdin, self._keeper.stdout):
            assert pipe is not None
            pipe.close()
        try:
            self._keeper.wait(_KEEPER_SECONDS)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            with suppress(OSError):
                if self.pid:
                    os.killpg(self.pid, signal.SIGKILL)
            self._keeper.wait()
        if self.pid and not was_kept:
            self._tree.end(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)  # in case its keeper was killed

    def death(self) -> SeatError:
        """Returns the error for an engine that has ended, or closed its pipe."""
        if self._ended is None and self._from_keeper(1.0):
            self.exit_code(_KEEPER_SECONDS)
        if self._ended is None:
            return SeatError("broken", "it closed its standard output or input")
        status = self._ended["ended"]
        if status is None:
            return SeatError("crashed", "the process was killed, with its keeper")
        return SeatError("crashed", f"the process {ending(status)}")

    def _from_keeper(self, seconds: float | None = None) -> dict[str, Any] | None:
        """Returns the keeper's next message if it comes within `seconds`; otherwise None."""
        try:
            if not self._control.poll(_KEEPER_SECONDS if seconds is None else seconds):
                return None
            said: dict[str, Any] = json.loads(self._control.recv_bytes())
        except (EOFError, OSError):
            said = {"ended": None}
        if "ended" in said:
            self._ended = said
        return said


def _no_room(why: str) -> StarspielError:
    return StarspielError(
        f"cannot start an agent's process: {why}. Make room on the machine (processes, memory, open files, "
        "space for folders), and run the same again; what is finished is in the store, if there is one."
    )
