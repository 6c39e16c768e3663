"""The process of one engine, as its referee sees it: a pipe with deadlines, and a keeper beside it."""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from math import inf
from typing import Any

from starspiel.agents.seats import keeper, protocol
from starspiel.agents.seats.limits import LEAST_START_SECONDS, START_MOVES, HardLimits
from starspiel.agents.seats.protocol import Answer, Failure, Hello, SeatError
from starspiel.agents.seats.tree import MARK, Tree, last_pid
from starspiel.envs.errors import StarspielError

#: An engine that is told to quit ends within so many seconds, or is ended.
QUIT_SECONDS = 2.0
#: A keeper that takes longer to end an engine is killed with it.
_KEEPER_SECONDS = 4.0
#: Longer messages of engines are cut off.
_LONGEST_MESSAGE = 300
#: Whether an engine can signal nobody but what it has started, where the system supports that.
_FENCED = True
#: While an engine is asked, what its processes use is looked at this often.
_LOOK_SECONDS = 0.02
#: So many times its limit a move may take at most, however busy the machine is.
_MOST_PATIENCE = 10.0


class _LateError(Exception):
    """An engine has not answered in time. No TimeoutError: the user's own alarms may raise that."""


class SeatProcess:
    """A running engine. What goes wrong in it is raised as a SeatError; then it is of no more use.

    Raises StarspielError where the machine has no room for another process: that is no engine's fault.

    Attributes:
        command: what runs.
        pid: of the engine itself.
        hello: what it said of itself.
    """

    def __init__(self, command: Sequence[str], limits: HardLimits) -> None:
        self.command = tuple(command)
        self.limits = limits
        self._ended: dict[str, Any] | None = None
        self._output = b""
        self._heard = b""
        self._told = b""
        self._cpu_before = 0.0
        self._next_look = 0.0
        self._is_watched = limits.memory_mb is not None or limits.cpu_seconds is not None
        try:
            self._start()
        except OSError as error:
            raise _no_room(error.strerror or str(error)) from None
        try:
            self.hello = self._greeted()
        except BaseException as error:
            if isinstance(error, SeatError):
                error.args = (f"{error}{last_lines(self.printed())}",)
            self.close()
            raise

    def _greeted(self) -> Hello:
        try:
            greeting = self.ask(protocol.hello(), self.limits.start_seconds)
        except SeatError as error:
            if error.kind == "hung":
                error.args = (
                    f"{error}; to start, it has {START_MOVES} times the limit of a move, and at least "
                    f"{LEAST_START_SECONDS:g} s",
                )
            raise
        if not isinstance(greeting, Hello):
            raise _unexpected("hello", greeting)
        if greeting.protocol != protocol.VERSION:
            raise SeatError(
                "broken",
                f"it speaks version {greeting.protocol} of the seat protocol, expected {protocol.VERSION}",
            )
        return greeting

    def _start(self) -> None:
        with ExitStack() as undo:
            self._folder = tempfile.mkdtemp(prefix="starspiel-seat-")
            undo.callback(shutil.rmtree, self._folder, ignore_errors=True)
            own, its = socket.socketpair()
            undo.callback(own.close)
            undo.enter_context(its)
            before = last_pid()
            command = [sys.executable, "-I", "-S", keeper.__file__, str(its.fileno()), self._folder]
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
            undo.pop_all()
        its.close()
        self._control = own
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        self._in, self._out = self._keeper.stdin.fileno(), self._keeper.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(own.fileno(), select.POLLIN)
        self.pid = int((self._from_keeper() or {}).get("pid", 0))
        if not self.pid:
            self.close()
            raise _no_room("its keeper could not start it")
        self._tree = Tree(self._keeper.pid, self.pid, before)

    def post(self, message: Any) -> None:
        """Says what is not answered; it is sent with the next question."""
        self._output += protocol.line_of(message)

    def ask(self, message: Any, seconds: float | None) -> Answer:
        """The answer, which is to come within so many seconds. Raises SeatError where none does."""
        self._check_silent()
        self.post(message)
        began = time.monotonic()
        try:
            self._tree.resume()
            self._send(None if seconds is None else began + seconds)
            line = self._line(began, seconds)
            self._tree.stop()
            answer = protocol.answer_in(line)
            self._check_silent()
            self._look()
        except _LateError:
            raise SeatError("hung", f"no answer to {message['type']} within {seconds:g} s") from None
        if isinstance(answer, Failure):
            short = answer.error == "MemoryError" and self.limits.memory_mb is not None
            kind = "memory" if short else "raised"
            said = " ".join(answer.message.split())[:_LONGEST_MESSAGE]
            raise SeatError(kind, ": ".join(part for part in (answer.error, said) if part))
        return answer

    def _check_silent(self) -> None:
        """Raises SeatError where it has said more than it was asked."""
        if unasked := self.overheard(0.0):
            raise SeatError("broken", f"it spoke without being asked: {unasked!r}")

    def end_game(self, message: Any) -> None:
        """Says that the game is over, to an engine that need not listen any more."""
        self.post(message)
        with suppress(SeatError, _LateError):
            self._send(time.monotonic())

    def cpu_seconds(self) -> float:
        """CPU seconds that its processes have used: see `Tree.cpu_seconds`."""
        return self._tree.cpu_seconds()

    def begin_game(self) -> None:
        """CPU seconds count anew."""
        self._cpu_before = self.cpu_seconds()

    def printed(self) -> str:
        """The end of what it has printed since this was last asked."""
        if self._ended is None:
            with suppress(OSError):
                self._control.send(b"t")
                said = self._from_keeper()
                while said is not None and "printed" not in said:
                    said = self._from_keeper()
                if said is not None:
                    return str(said["printed"])
        printed = str((self._ended or {}).get("printed", ""))
        if self._ended:
            self._ended["printed"] = ""
        return printed

    def overheard(self, seconds: float) -> str:
        """The beginning of what it says without being asked, if it runs so many seconds more."""
        if seconds:
            self._tree.resume()
        if not self._heard and any(ready == self._out for ready, _ in self._poll.poll(1000.0 * seconds)):
            with suppress(OSError):
                self._heard += os.read(self._out, 2**16)
        return self._heard[:80].decode(errors="replace")

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        if self._ended is None and select.select([self._control], [], [], 0)[0]:
            self._from_keeper()
        return self._ended is None and not self.overheard(0.0)

    def quit(self, seconds: float = QUIT_SECONDS) -> int | None:
        """Tells it to end; its exit code where it does so in time, None where it had to be ended."""
        with suppress(SeatError, TimeoutError, _LateError):
            self.post(protocol.quit_())
            self._tree.resume()
            self._send(time.monotonic() + seconds)
            self._control.settimeout(seconds)
            while self._ended is None:
                self._from_keeper(patient=True)
        status = (self._ended or {}).get("ended")
        self.close()
        return None if status is None else int(status)

    def close(self) -> None:
        """Ends it, and all that it has started."""
        with suppress(OSError):
            if self._ended is None:
                self._control.send(b"q")
                self._control.settimeout(_KEEPER_SECONDS)
                while self._ended is None:
                    self._from_keeper(patient=True)
        was_kept = "ended" in (self._ended or {})
        self.abandon()
        try:
            self._keeper.wait(_KEEPER_SECONDS)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            with suppress(OSError):
                if self.pid:
                    os.killpg(self.pid, signal.SIGKILL)
            self._keeper.wait()
        if self.pid:
            self._tree.forget()
        if not was_kept and self.pid:
            self._tree.end(self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)  # its keeper may have been killed

    def abandon(self) -> None:
        """Closes this process's ends of the pipes: without a referee the keeper ends the engine."""
        self._ended = self._ended or {}
        self._control.close()
        for pipe in (self._keeper.stdin, self._keeper.stdout):
            assert pipe is not None
            pipe.close()

    def _send(self, deadline: float | None) -> None:
        while self._output:
            try:
                written = os.write(self._in, self._output)
            except BlockingIOError:
                self._wait_to_write(deadline)
            except (BrokenPipeError, OSError, ValueError):
                raise self._death() from None
            else:
                self._output = self._output[written:]

    def _wait_to_write(self, deadline: float | None) -> None:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0.0:
            raise _LateError
        _, writable, _ = select.select([self._control], [self._in], [], left)
        if not writable and (deadline is None or time.monotonic() < deadline):
            raise self._death()

    def _line(self, began: float, seconds: float | None) -> bytes:
        """The next line that it says, within so many seconds and those that others have taken from it."""
        deadline = inf if seconds is None else began + seconds
        waits = False
        while True:
            left = deadline - time.monotonic()
            if not waits or self._is_watched:
                left = min(left, _LOOK_SECONDS)
            ready = self._poll.poll(None if left == inf else max(0.0, 1000.0 * left))
            if not ready:
                self._look()
                if seconds is not None and not waits:
                    self._tree.begin_wait()
                elif seconds is not None and time.monotonic() >= deadline:
                    lost = min(self._tree.time_lost(), (_MOST_PATIENCE - 1.0) * seconds)
                    deadline = began + seconds + lost
                    if time.monotonic() >= deadline:
                        raise _LateError
                waits = True
                continue
            if all(descriptor != self._out for descriptor, _ in ready):
                raise self._death()
            try:
                more = os.read(self._out, 2**16)
            except BlockingIOError:
                continue
            if not more:
                raise self._death()
            self._heard += more
            line, newline, rest = self._heard.partition(b"\n")
            if newline:
                self._heard = rest
                return line
            if len(self._heard) > protocol.LONGEST_LINE:
                raise SeatError("broken", f"a line of more than {protocol.LONGEST_LINE:,} bytes")

    def _look(self) -> None:
        """Raises SeatError where it has used too much; not at every one of quick moves."""
        if (now := time.monotonic()) < self._next_look:
            return
        memory, cpu = self.limits.memory_mb, self.limits.cpu_seconds
        if memory is not None and self._tree.memory(memory * 2**20) > memory * 2**20:
            raise SeatError("memory", f"more than {memory} MB of memory")
        if cpu is not None and self._tree.cpu_seconds() - self._cpu_before > cpu:
            raise SeatError("cpu", f"more than {cpu:g} CPU seconds in a game")
        # What is slow to look at, such as gigabytes of memory, is looked at less often.
        self._next_look = now + max(_LOOK_SECONDS, 10.0 * (time.monotonic() - now))

    def _from_keeper(self, *, patient: bool = False) -> dict[str, Any] | None:
        """The next line of the keeper's; None where there is no more."""
        if not patient:
            self._control.settimeout(_KEEPER_SECONDS)
        while b"\n" not in self._told:
            try:
                more = self._control.recv(2**16)
            except TimeoutError:
                if patient:
                    raise
                more = b""
            except OSError:
                more = b""
            if not more:
                self._ended = self._ended or {}
                return None
            self._told += more
        line, _, self._told = self._told.partition(b"\n")
        said: dict[str, Any] = json.loads(line)
        if "ended" in said:
            self._ended = said
        return said

    def _death(self) -> SeatError:
        """The error of an engine that has ended, or closed its pipe."""
        with suppress(OSError):
            if self._ended is None and not select.select([self._control], [], [], 1.0)[0]:
                return SeatError("broken", "it closed its standard output or input")
        while self._ended is None:
            self._from_keeper()
        status = self._ended.get("ended")
        if status is None:
            return SeatError("crashed", "the process was killed, with its keeper")
        return SeatError("crashed", f"the process {ending(status)}")


def ending(exitcode: int) -> str:
    """How a process ended, as the end of a sentence about it."""
    if exitcode < 0:
        known = {each.value for each in signal.Signals}  # but not those between the real-time ones' ends
        return f"died of {signal.Signals(-exitcode).name if -exitcode in known else f'signal {-exitcode}'}"
    return f"ended with exit code {exitcode}"


def _no_room(why: str) -> StarspielError:
    return StarspielError(
        f"cannot start an agent's process: {why}. Make room on the machine (processes, memory, open files, "
        "space for folders), and run the same again; what is finished is in the store, if there is one."
    )


def _unexpected(expected: str, answer: Answer) -> SeatError:
    return SeatError(
        "broken", f"expected an answer of the type {expected}, got {_shown(protocol.line_of(answer))}"
    )


def _shown(line: bytes) -> str:
    return repr(line[:80].decode(errors="replace").strip())


#: Of what an engine printed, a message shows so many lines, and characters.
_LINES, _CHARACTERS = 5, 400


def last_lines(printed: str) -> str:
    """The end of what was printed, as the end of a sentence in one line; nothing where nothing was."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return f"; it printed: {' | '.join(lines[-_LINES:])[-_CHARACTERS:]}" if lines else ""
