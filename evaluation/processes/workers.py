"""Runs worker processes on this machine; each is a referee that plays the pairs it is given."""

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.processes import ending, state_of
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import PairRecord
from starspiel.evaluation.referee import Forfeits, Referee
from starspiel.evaluation.seating import Board, Seating

#: A worker that is stopped at two checks this far apart counts as dead.
LOOK_SECONDS = 1.0


class Task(NamedTuple):
    """Pairs to play.

    Attributes:
        apart: whether every agent plays in a separate process if possible.
        forfeits: for a task of one pair, index of a game in it -> the fault that has already ended the game.
        deaths: how often its worker has died.
    """

    pairs: tuple[Pair, ...]
    apart: bool = False
    forfeits: Forfeits | None = None
    deaths: int = 0


class Worker:
    """A process that plays one task after another.

    Attributes:
        task: its current task; None if it waits for one.
        board: notes in shared memory of what it is playing.
        pair_seconds: the mean seconds per pair of its last task.
        is_dead: whether it died during its task.
    """

    def __init__(self, referee: Referee, limits: HardLimits) -> None:
        context: Any = multiprocessing.get_context("fork" if forks() else "spawn")
        self.task: Task | None = None
        self.board: Board = context.RawValue(Board)
        self.pair_seconds = 0.0
        self.is_dead = False
        self._connection, its = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(referee, limits, its, self._connection, self.board)
        )
        self._process.start()
        its.close()
        self._done = 0
        self._next_look, self._was_stopped, self._is_stopped = 0.0, False, False

    @property
    def ends(self) -> tuple[Connection, int]:
        """Objects to wait for: one is ready when there is something to read or the process has ended."""
        return self._connection, self._process.sentinel

    def begin(self, task: Task) -> None:
        self.task = task
        self._done = 0
        self.board.begin(pairs=0)
        with suppress(OSError):  # the process is dead, which its sentinel shows
            self._connection.send(task)

    def records(self) -> Iterator[PairRecord]:
        """Yields the records that have arrived since the last call. Raises the error that ended the task."""
        has_ended = not self._process.is_alive()
        with suppress(EOFError, OSError):
            while self.task and self._connection.poll():
                said: list[PairRecord] | float | BaseException = self._connection.recv()
                if isinstance(said, BaseException):
                    self.task = None
                    raise said
                if isinstance(said, list):
                    self._done += len(said)
                    yield from said
                else:
                    self.pair_seconds = said / len(self.task.pairs)
                    self.task = None
        self.is_dead = has_ended and self.task is not None

    def left(self) -> tuple[Pair, ...]:
        """Returns the pairs of its task without records; the first is the one that it was playing."""
        if self.task is None:
            return ()
        at, pairs = max(self._done, self.board.pairs - 1), self.task.pairs
        return (*pairs[at : at + 1], *pairs[self._done : at], *pairs[at + 1 :])

    def is_stopped(self) -> bool:
        """Returns whether it was stopped (SIGSTOP) at two checks in a row; if so, kills it."""
        if (now := monotonic()) < self._next_look:
            return False
        self._next_look = now + LOOK_SECONDS
        before, self._was_stopped = self._was_stopped, state_of(self._process.pid) == "T"
        self._is_stopped = before and self._was_stopped
        if self._is_stopped:
            self._end()
        return self._is_stopped

    @property
    def fate(self) -> str:
        """How the process ended, as the end of a sentence, such as "was stopped"."""
        self._process.join()
        return "was stopped" if self._is_stopped else ending(self._process.exitcode or 0)

    def stop(self) -> None:
        """Kills the worker and the processes that bots started in it."""
        self._end()
        self._connection.close()

    def _end(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()


def forks() -> bool:
    """Returns whether workers are forked, so that their arguments need not be picklable."""
    return sys.platform == "linux"


def _serve(
    referee: Referee, limits: HardLimits, tasks: Connection, parents_end: Connection, board: Board
) -> None:
    _die_with_parent()
    os.setsid()
    parents_end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        try:
            task: Task = tasks.recv()
        except EOFError:
            return
        for said in _played(referee, Seating(limits, task.apart, board), task):
            tasks.send(said)


def _played(
    referee: Referee, seating: Seating, task: Task
) -> Iterator[list[PairRecord] | float | BaseException]:
    """Yields the records, after each pair of external agents at once, and the seconds taken, or the error."""
    assert seating.board is not None
    began, own = perf_counter(), os.getpid()
    records: list[PairRecord] = []
    try:
        for begun, pair in enumerate(task.pairs, start=1):
            seating.board.begin(begun)
            try:
                records.append(referee.referee(pair, seating, task.forfeits))
            finally:
                if os.getpid() != own:
                    os._exit(0)  # a child that a bot forked, and that returned here
            if not referee.job.foreign.isdisjoint(pair.agents):
                yield records
                records = []
        yield records
        yield perf_counter() - began
    except StarspielError as error:
        yield records
        yield error
    except Exception as error:
        yield records
        yield StarspielError(f"a worker failed: {type(error).__name__}: {error}")


def _die_with_parent() -> None:
    """Makes this worker die with its parent (on Linux; elsewhere it ends at its next task)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
