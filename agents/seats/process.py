"""Provides `SeatProcess`, a running engine that a referee asks, and that must answer in time."""

import os
import select
import time
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from typing import Any

from starspiel.agents.hard_limits import LEAST_START_SECONDS, START_MOVES, HardLimits
from starspiel.agents.seats import protocol
from starspiel.agents.seats.kept import KeptProcess
from starspiel.agents.seats.protocol import Answer, Failure, Hello
from starspiel.agents.seats.usage import memory_of
from starspiel.envs.errors import SeatError

#: An engine that is told to quit must end within this many seconds, or is killed.
QUIT_SECONDS = 2.0
#: The most characters of an engine's error message that are kept.
_LONGEST_MESSAGE = 300
#: The time in seconds between two looks at the resources that an engine uses while it is asked.
_LOOK_SECONDS = 0.02
#: The most time that a move may take, however busy the machine is, as a multiple of its limit.
_MOST_PATIENCE = 10.0


class _LateError(Exception):
    """An engine has not answered in time. It is not a TimeoutError, which the user's own alarms may raise."""


class SeatProcess(KeptProcess):
    """A running engine. Its failures are raised as SeatErrors, after which it must not be used any more.

    Attributes:
        hello: the engine's answer to `hello`.
    """

    def __init__(self, command: Sequence[str], limits: HardLimits) -> None:
        self.limits = limits
        self._output = self._heard = b""
        self._cpu_before = self._next_look = 0.0
        self._is_watched = limits.memory_mb is not None or limits.cpu_seconds is not None
        super().__init__(command)
        try:
            self.hello = self._greeted()
        except BaseException as error:
            if isinstance(error, SeatError):
                error.args = (f"{error}{self.printed()}",)
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
            raise SeatError("broken", f"expected hello as the answer to hello, got {greeting}")
        if greeting.protocol != protocol.VERSION:
            raise SeatError(
                "broken",
                f"it speaks version {greeting.protocol} of the seat protocol, expected {protocol.VERSION}",
            )
        return greeting

    def post(self, message: Any) -> None:
        """Queues a message that has no answer; it is sent with the next question."""
        self._output += protocol.line_of(message)

    def ask(self, message: Any, seconds: float | None) -> Answer:
        """Sends a message and returns its answer. Raises SeatError if none comes within `seconds`."""
        self._check_silent()
        self.post(message)
        began, limit = time.monotonic(), inf if seconds is None else seconds
        try:
            self._tree.resume()
            self._send(began + limit)
            line = self._line(began, limit)
            self._tree.stop()
            answer = protocol.answer_in(line)
            self._check_silent()
            self._look()
        except _LateError:
            raise SeatError("hung", f"no answer to {message['type']} within {seconds:g} s") from None
        if isinstance(answer, Failure):
            short = answer.error == "MemoryError" and self.limits.memory_mb is not None
            said = " ".join(answer.message.split())[:_LONGEST_MESSAGE]
            said = ": ".join(part for part in (answer.error, said) if part)
            raise SeatError("memory" if short else "raised", said)
        return answer

    def _check_silent(self) -> None:
        """Raises SeatError if the engine has sent more than it was asked for."""
        if unasked := self.overheard(0.0):
            raise SeatError("broken", f"it spoke without being asked: {unasked!r}")

    def begin_game(self) -> None:
        """Restarts the count of CPU seconds."""
        self._cpu_before = self.cpu_seconds()

    def end_game(self, message: Any) -> None:
        """Sends the message that the game is over, without waiting for an engine that does not read it."""
        self.post(message)
        with suppress(SeatError, _LateError):
            self._send(0.0)

    def overheard(self, seconds: float) -> str:
        """Returns the beginning of what it sends without being asked; first lets it run for `seconds`."""
        if seconds:
            self._tree.resume()
        if not self._heard and any(ready == self._out for ready, _ in self._poll.poll(1000.0 * seconds)):
            with suppress(OSError):
                self._heard += os.read(self._out, 2**16)
        return self._heard[:80].decode(errors="replace")

    @property
    def is_alive(self) -> bool:
        """Whether it still runs and has sent nothing without being asked."""
        if self._ended is None:
            self._from_keeper(0.0)
        return self._ended is None and not self.overheard(0.0)

    def quit(self, seconds: float = QUIT_SECONDS) -> int | None:
        """Tells it to end, and returns its exit code; None if it had to be killed."""
        with suppress(SeatError, _LateError):
            self.post(protocol.quit_())
            self._tree.resume()
            self._send(time.monotonic() + seconds)
        status = self.exit_code(seconds)
        self.close()
        return status

    def _send(self, deadline: float) -> None:
        while self._output:
            try:
                self._output = self._output[os.write(self._in, self._output) :]
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0.0:
                    raise _LateError from None
                ready = select.select([self._control], [self._in], [], None if left == inf else left)
                if not ready[1] and time.monotonic() < deadline:
                    raise self.death() from None
            except (OSError, ValueError):
                raise self.death() from None

    def _line(self, began: float, limit: float) -> bytes:
        """Returns the engine's next line. Raises _LateError if it does not come within `limit` seconds and
        the time during which other processes kept it from running.
        """
        deadline, waits = began + limit, False
        while b"\n" not in self._heard:
            if len(self._heard) > protocol.LONGEST_LINE:
                raise SeatError("broken", f"a line of more than {protocol.LONGEST_LINE:,} bytes")
            left = deadline - time.monotonic()
            if not waits or self._is_watched:
                left = min(left, _LOOK_SECONDS)
            if ready := self._poll.poll(None if left == inf else max(0.0, 1000.0 * left)):
                self._hear([descriptor for descriptor, _ in ready])
                continue
            self._look()
            if not waits:
                self._tree.begin_wait()
            elif time.monotonic() >= deadline:
                deadline = began + limit + min(self._tree.time_lost(), (_MOST_PATIENCE - 1.0) * limit)
                if time.monotonic() >= deadline:
                    raise _LateError
            waits = True
        line, _, self._heard = self._heard.partition(b"\n")
        return line

    def _hear(self, ready: list[int]) -> None:
        more = b""
        if self._out in ready:
            try:
                more = os.read(self._out, 2**16)
            except BlockingIOError:
                return
        if not more:
            raise self.death()
        self._heard += more

    def _look(self) -> None:
        """Raises SeatError if it has used too much; does not look every time if moves are quick."""
        if (now := time.monotonic()) < self._next_look:
            return
        memory, cpu = self.limits.memory_mb, self.limits.cpu_seconds
        if memory is not None and memory_of(self._tree.pids, memory * 2**20) > memory * 2**20:
            raise SeatError("memory", f"more than {memory} MB of memory")
        if cpu is not None and self.cpu_seconds() - self._cpu_before > cpu:
            raise SeatError("cpu", f"more than {cpu:g} CPU seconds in a game")
        # Slow looks, such as at gigabytes of memory, are taken less often.
        self._next_look = now + max(_LOOK_SECONDS, 10.0 * (time.monotonic() - now))
