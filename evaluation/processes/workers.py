"""The worker processes of this machine: pebble's pools, which processes they have, and what those are at."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from pebble import ProcessPool

from starspiel.evaluation.job import Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.processes.watch import Note
from starspiel.evaluation.processes.worker import begin


class Workers:
    """`number` processes for batches of pairs, and one at a time for single games.

    Attributes:
        folder: where they write notes and journals.
        batches: the pool that plays batches of pairs.
        singles: the pool whose processes play one game each.
    """

    def __init__(self, number: int, job: Job, limits: HardLimits, folder: Path) -> None:
        self.number = number
        self.folder = folder
        self._context = _Context(multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn"))
        new_pool = partial(
            ProcessPool, initializer=begin, initargs=(job, limits, str(folder)), context=self._context
        )
        self.batches = Pool(partial(new_pool, number))
        self.singles = Pool(partial(new_pool, 1, max_tasks=1))

    @property
    def processes(self) -> list[BaseProcess]:
        """Those whose end was not seen yet: `forget` takes them out."""
        return [process for process in self._context.processes if process.pid is not None]

    def forget(self, process: BaseProcess) -> None:
        """Ends what a worker that has ended left behind."""
        self._context.processes.remove(process)
        _end_session(process.pid)

    def note(self, pid: int | None) -> Note | None:
        """What a worker is at, or was when it died; None where it has not begun."""
        with suppress(FileNotFoundError), (self.folder / f"{pid}.note").open("rb") as file:
            return Note.read(file.fileno())
        return None

    def take_forgotten(self) -> set[Future[Any]]:
        """The tasks that have to be scheduled again."""
        return self.batches.take_forgotten() | self.singles.take_forgotten()

    def stop(self) -> None:
        """Ends them, and all that they have started."""
        for pool in (self.batches, self.singles):
            pool.stop()
        for process in self._context.processes:
            _end_session(process.pid)


class Pool:
    """A pool of pebble's that is made anew where pebble gives it up, with all its tasks.

    It does so when a worker dies before pebble has read that its task began, as happens on a busy machine.
    """

    def __init__(self, make: Callable[[], ProcessPool]) -> None:
        self._make = make
        self._pool = make()
        self._scheduled: set[Future[Any]] = set()
        self._forgotten: set[Future[Any]] = set()

    def schedule(self, play: Callable[..., Any], args: tuple[Any, ...]) -> Future[Any]:
        try:
            future = self._pool.schedule(play, args=args)
        except RuntimeError:  # given up since
            self.stop()
            self._forgotten |= self._scheduled
            self._scheduled.clear()
            self._pool = self._make()
            future = self._pool.schedule(play, args=args)
        self._scheduled.add(future)
        return future

    def take_forgotten(self) -> set[Future[Any]]:
        """Unfinished tasks of a pool that was given up: pebble forgets those it had yet to hand out."""
        self._scheduled = {future for future in self._scheduled if not future.done()}
        if self._scheduled and not self._pool.active:
            self._forgotten |= self._scheduled
            self._scheduled.clear()
        forgotten, self._forgotten = self._forgotten, set()
        return forgotten

    def stop(self) -> None:
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()


class _Context:
    """A context of multiprocessing that lists the processes it makes."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self.processes: list[BaseProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> BaseProcess:  # noqa: N802
        process: BaseProcess = self._context.Process(*args, **kwargs)
        self.processes.append(process)
        return process

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


def _end_session(leader: int | None) -> None:
    """Ends the processes that a worker has left behind."""
    if leader is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
