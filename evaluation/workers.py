"""Worker processes: many pairs at once, and a bot that crashes or hangs loses its own games only.

A worker notes whose code it is about to run in a small file of its own. When the process dies (of a crash,
or of the alarm that ends a move that takes too long), the note says which agent did it. The pair is then void
and its games are played once more, each in a task of its own; one that kills its worker again is forfeited.
"""

import ctypes
import mmap
import multiprocessing
import os
import signal
import struct
import sys
import tempfile
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from pebble import ProcessExpired, ProcessPool

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.match import Fault, GameRecord, Job, PairRecord, ended_early
from starspiel.evaluation.pairing import Pair

#: Tasks of this many seconds keep the cost of handing them out below a few percent.
_TASK_SECONDS = 0.5
_NOTE = struct.Struct("<qq")


@dataclass(frozen=True, slots=True)
class HardLimits:
    """What an agent may use before its worker is killed; None is no limit.

    Attributes:
        move_seconds: wall-clock seconds of one move.
        memory_mb: memory of a worker beyond what it starts with.
    """

    move_seconds: float | None = None
    memory_mb: int | None = None

    def __post_init__(self) -> None:
        for name in ("move_seconds", "memory_mb"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise StarspielError(f"the limit {name} must be a number above 0, got {value!r}.")


class LocalWorkers:
    """Plays pairs in `workers` processes of this machine. Records come in the order they are finished."""

    def __init__(self, workers: int, limits: HardLimits | None = None) -> None:
        if workers < 1:
            raise StarspielError(f"expected at least 1 worker, got {workers}.")
        self.workers = workers
        self.limits = limits or HardLimits()

    def play(self, job: Job, schedule: Sequence[Pair]) -> Generator[PairRecord, None, None]:
        """The records of all pairs. Closing the iterator stops the workers."""
        with tempfile.TemporaryDirectory(prefix="starspiel-") as folder:
            pool = ProcessPool(
                self.workers,
                initializer=_begin,
                initargs=(job, self.limits, folder),
                context=multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn"),
            )
            try:
                yield from _Run(pool, job, self.limits, Path(folder), self.workers).records(schedule)
            finally:
                pool.stop()  # type: ignore[no-untyped-call]
                pool.join()


class _Run:
    """The tasks of one tournament: batches of pairs, and single games of pairs that were void."""

    def __init__(self, pool: ProcessPool, job: Job, limits: HardLimits, folder: Path, workers: int) -> None:
        self._pool = pool
        self._job = job
        self._limits = limits
        self._folder = folder
        self._workers = workers
        self._tasks: dict[Future[Any], tuple[Pair, ...] | _Again] = {}
        self._pair_seconds = 0.0

    def records(self, schedule: Sequence[Pair]) -> Iterator[PairRecord]:
        waiting = deque(schedule)
        while waiting or self._tasks:
            while waiting and len(self._tasks) < 2 * self._workers:
                size = min(len(waiting), self._batch_size(len(waiting)))
                batch = tuple(waiting.popleft() for _ in range(size))
                self._tasks[self._pool.schedule(_play_batch, args=(batch,))] = batch
            done, _ = wait(self._tasks, return_when=FIRST_COMPLETED)
            for future in done:
                task = self._tasks.pop(future)
                if isinstance(task, _Again):
                    yield from self._finish_again(future, task)
                else:
                    yield from self._finish_batch(future, task, waiting)

    def _batch_size(self, waiting: int) -> int:
        if not self._pair_seconds:
            return 1
        fair_share = -(-waiting // (2 * self._workers))
        return max(1, min(int(_TASK_SECONDS / self._pair_seconds), fair_share))

    def _finish_batch(
        self, future: Future[Any], batch: tuple[Pair, ...], waiting: deque[Pair]
    ) -> Iterator[PairRecord]:
        try:
            records, seconds = future.result()
        except ProcessExpired as death:
            culprit, agent = self._note(death.pid)
            fault = self._fault(death.exitcode, batch[culprit].agents.index(agent))
            again = _Again(batch[culprit], (agent, fault), self._folder / f"{death.pid}.again")
            self._play_again(again)
            # The others were bystanders: they are played as if for the first time.
            waiting.extendleft(reversed(batch[:culprit] + batch[culprit + 1 :]))
            return
        self._pair_seconds = seconds / len(batch)
        yield from records

    def _play_again(self, again: "_Again") -> None:
        seats = list(again.pair.seatings())[len(again.games)]
        again.journal.write_bytes(b"")
        task = self._pool.schedule(_play_apart, args=(again.pair, seats, str(again.journal)))
        self._tasks[task] = again

    def _finish_again(self, future: Future[Any], again: "_Again") -> Iterator[PairRecord]:
        try:
            again.games.append(future.result())
        except ProcessExpired as death:
            _, agent = self._note(death.pid)
            seats = list(again.pair.seatings())[len(again.games)]
            actions = [action for (action,) in struct.iter_unpack("<q", again.journal.read_bytes())]
            fault = self._fault(death.exitcode, seats.index(agent))
            again.games.append(ended_early(self._job.game, seats, actions, fault))
        if len(again.games) < len(list(again.pair.seatings())):
            self._play_again(again)
        else:
            yield PairRecord(again.pair, tuple(again.games), voided=(again.void,))

    def _note(self, pid: int | None) -> tuple[int, int]:
        """What a dead worker was at: the index of the pair in its batch, and the agent whose code ran."""
        note = self._folder / f"{pid}.note"
        if not note.exists():
            raise StarspielError(
                "a worker died before its first game; is there enough memory? Try fewer workers or a higher "
                "limit."
            )
        pair, agent = _NOTE.unpack(note.read_bytes())
        return pair, agent

    def _fault(self, exitcode: int, seat: int) -> Fault:
        if exitcode == -signal.SIGALRM:
            return Fault(seat, "hung", f"no move within {self._limits.move_seconds:g} s")
        if exitcode < 0:
            return Fault(seat, "crashed", f"the process died of {signal.Signals(-exitcode).name}")
        return Fault(seat, "crashed", f"the process ended with exit code {exitcode}")


class _Again:
    """A void pair that is played once more, game by game."""

    def __init__(self, pair: Pair, void: tuple[int, Fault], journal: Path) -> None:
        self.pair = pair
        self.void = void
        self.journal = journal
        self.games: list[GameRecord] = []


# What follows runs in the workers.

_JOB: Job
_WATCH: "_Watcher"


class _Watcher:
    """Notes whose code is about to run, and sets the alarm for it."""

    def __init__(self, folder: str, limits: HardLimits) -> None:
        path = Path(folder) / f"{os.getpid()}.note"
        path.write_bytes(_NOTE.pack(0, 0))
        with path.open("r+b") as file:
            self._note = memoryview(mmap.mmap(file.fileno(), _NOTE.size)).cast("q")
        self._move_seconds = limits.move_seconds

    def pair(self, index: int) -> None:
        self._note[0] = index

    def __call__(self, agent: int) -> None:
        self._note[1] = agent
        if self._move_seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, self._move_seconds)

    def rest(self) -> None:
        if self._move_seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)


class _Journal(list[int]):
    """A list that a file follows, whatever happens to the process."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115  # closed with the process or the game

    def append(self, action: int) -> None:
        super().append(action)
        self._file.write(struct.pack("<q", action))


def _begin(job: Job, limits: HardLimits, folder: str) -> None:
    global _JOB, _WATCH
    _die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # kills, also within C++ code
    if limits.memory_mb is not None:
        _limit_memory(limits.memory_mb)
    _JOB = job
    _WATCH = _Watcher(folder, limits)


def _die_with_parent() -> None:
    """A parent that is killed takes its workers along (Linux; elsewhere they end with their next task)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _limit_memory(megabytes: int) -> None:
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _play_batch(batch: tuple[Pair, ...]) -> tuple[list[PairRecord], float]:
    began = perf_counter()
    records = []
    for index, pair in enumerate(batch):
        _WATCH.pair(index)
        records.append(_JOB.play(pair, _WATCH))
    _WATCH.rest()
    return records, perf_counter() - began


def _play_apart(pair: Pair, seats: tuple[int, ...], journal: str) -> GameRecord:
    _WATCH.pair(0)
    record = _JOB.play_game(pair, seats, _WATCH, _Journal(journal))
    _WATCH.rest()
    return record
