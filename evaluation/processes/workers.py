"""Worker processes of this machine: each is a referee, and plays the pairs that it is handed."""

import ctypes
import multiprocessing
import os
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any, NamedTuple

from starspiel.agents.seats.limits import HardLimits
from starspiel.agents.seats.process import ending
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.job import Job, Seating
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import PairRecord


class Task(NamedTuple):
    """Pairs to play, and whether every agent that can is to sit in a process of its own."""

    pairs: tuple[Pair, ...]
    apart: bool = False


class Played(NamedTuple):
    """The records of a task, and the seconds that it took."""

    records: list[PairRecord]
    seconds: float


class Worker:
    """A process that plays one task after another.

    Attributes:
        task: what it is at; None where it waits for a task.
        sentinel: is ready when the process has ended.
        connection: is ready when the task is done.
    """

    def __init__(self, job: Job, limits: HardLimits) -> None:
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.task: Task | None = None
        self.connection, its = context.Pipe()
        self._process = context.Process(target=_serve, args=(job, limits, its, self.connection))
        self._process.start()
        its.close()
        self.sentinel: int = self._process.sentinel

    def begin(self, task: Task) -> None:
        self.task = task
        with suppress(OSError):  # it is dead, and its sentinel says so
            self.connection.send(task)

    def end(self) -> Played | None:
        """What it has played, when its connection or its sentinel is ready; None where the process has died.

        Raises whatever ended the task.
        """
        try:
            done: Played | BaseException = self.connection.recv()
        except (EOFError, OSError):
            return None
        self.task = None
        if isinstance(done, BaseException):
            raise done
        return done

    @property
    def fate(self) -> str:
        """How a dead process ended, as the end of a sentence."""
        self._process.join()
        return ending(self._process.exitcode or 0)

    def stop(self) -> None:
        """Ends it, and what Python's bots have started in it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self.connection.close()


def _serve(job: Job, limits: HardLimits, tasks: Connection, parents_end: Connection) -> None:
    _die_with_parent()
    os.setsid()
    parents_end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    own = os.getpid()
    while True:
        try:
            task: Task = tasks.recv()
        except EOFError:
            return
        done = _answer(job, limits, task)
        if os.getpid() != own:
            os._exit(0)  # a child that a bot has forked and let return
        tasks.send(done)


def _answer(job: Job, limits: HardLimits, task: Task) -> Played | BaseException:
    began = perf_counter()
    try:
        records = [job.play(pair, Seating(limits, task.apart)) for pair in task.pairs]
        return Played(records, perf_counter() - began)
    except StarspielError as error:
        return error
    except Exception as error:
        return StarspielError(f"a worker failed: {type(error).__name__}: {error}")


def _die_with_parent() -> None:
    """A parent that is killed takes its workers along (Linux; elsewhere they end with their next task)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
