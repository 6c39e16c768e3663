"""Worker processes: many pairs at once, and a bot that crashes or hangs loses its own games only.

A worker notes whose code it is about to run, and since when, in a small file of its own. The parent reads the
notes and kills a worker whose move takes too long: nothing that a bot does within its process can prevent it.
When the process dies (of a crash, or so), the note says which agent did it. The pair is then void and its
games are played once more, each in a new process of its own; one that kills that too is forfeited.

Every worker is a session of its own: what processes its bots have started end with it.

A worker that has run out of memory ends as well: what an agent holds on to would be missing for all who come
after it. Whose memory it was cannot be told where others played before, so the first time is nobody's fault.
"""

import ctypes
import multiprocessing
import os
import signal
import struct
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import perf_counter
from typing import Any

from pebble import ProcessExpired, ProcessPool

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.job import Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.play.faults import ended_early
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Fault, GameRecord, PairRecord
from starspiel.evaluation.play.seat import NOBODY
from starspiel.evaluation.processes.watch import Note, Watcher

#: Tasks of this many seconds keep the cost of handing them out below a few percent.
_TASK_SECONDS = 0.5
#: The parent looks after its workers this often.
_LOOK_SECONDS = 0.1
#: Tasks in a row, a worker, that are lost with their pool before there is no use in another.
_MOST_GIVEN_UP = 20
_NO_START = (
    "a worker died before its first game; is there enough memory? Try fewer workers or a higher limit."
)
#: The exit code of a worker that has run out of memory.
_OUT_OF_MEMORY = 77


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
            context = _Context(multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn"))
            new_pool = partial(
                ProcessPool, initializer=_begin, initargs=(job, self.limits, folder), context=context
            )
            pool, apart = _Pool(partial(new_pool, self.workers)), _Pool(partial(new_pool, 1, max_tasks=1))
            run = _Run(pool, apart, context.processes, job, self.limits, Path(folder), self.workers)
            try:
                yield from run.records(schedule)
            finally:
                for each in (pool, apart):
                    each.stop()
                for process in context.processes:
                    _end_session(process.pid)


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


class _Pool:
    """A pool of pebble's that is made anew where pebble gives it up, with all its tasks.

    It does so when a worker dies before pebble has read that its task began, as happens on a busy machine.
    """

    def __init__(self, make: Callable[[], ProcessPool]) -> None:
        self._make = make
        self._pool = make()

    def schedule(self, play: Callable[..., Any], args: tuple[Any, ...]) -> Future[Any]:
        try:
            return self._pool.schedule(play, args=args)
        except RuntimeError:  # given up since
            self.stop()
            self._pool = self._make()
            return self._pool.schedule(play, args=args)

    def stop(self) -> None:
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()


class _Run:
    """The tasks of one tournament: batches of pairs, and single games of pairs that were void."""

    def __init__(
        self,
        pool: _Pool,
        apart: _Pool,
        processes: list[BaseProcess],
        job: Job,
        limits: HardLimits,
        folder: Path,
        workers: int,
    ) -> None:
        self._pool = pool
        self._apart = apart
        self._processes = processes
        self._job = job
        self._limits = limits
        self._folder = folder
        self._workers = workers
        self._tasks: dict[Future[Any], tuple[Pair, ...] | _Again] = {}
        self._numbers = count()
        self._numbered: dict[int, Future[Any]] = {}
        self._ended: dict[Future[Any], ProcessExpired] = {}
        self._overdue: set[int | None] = set()
        self._given_up = 0
        self._pair_seconds = 0.0

    def records(self, schedule: Sequence[Pair]) -> Iterator[PairRecord]:
        waiting = deque(schedule)
        while waiting or self._tasks:
            while waiting and len(self._tasks) < 2 * self._workers:
                size = min(len(waiting), self._batch_size(len(waiting)))
                batch = tuple(waiting.popleft() for _ in range(size))
                self._schedule(batch, self._pool, _play_batch, batch)
            done, _ = wait(self._tasks, _LOOK_SECONDS, return_when=FIRST_COMPLETED)
            self._look_after_workers()
            done |= self._ended.keys()
            self._numbered = {n: future for n, future in self._numbered.items() if future not in done}
            for future in done:
                task = self._tasks.pop(future)
                if self._was_given_up(future):
                    if isinstance(task, _Again):
                        self._play_again(task)
                    else:
                        waiting.extendleft(reversed(task))
                elif isinstance(task, _Again):
                    yield from self._finish_again(future, task)
                else:
                    yield from self._finish_batch(future, task, waiting)

    def _schedule(
        self, task: "tuple[Pair, ...] | _Again", pool: _Pool, play: Callable[..., Any], *args: Any
    ) -> None:
        number = next(self._numbers)
        future = pool.schedule(play, (number, *args))
        self._tasks[future] = task
        self._numbered[number] = future

    def _look_after_workers(self) -> None:
        """Kills those whose move takes too long, and notes of those that ended which task they were at.

        Pebble does not know where a bot ended the process with exit code 0, which it takes for the end of the
        task, and where a process ends before pebble has read that its task began.
        """
        for process in list(self._processes):
            if process.pid is None:
                continue  # not started yet
            exitcode = process.exitcode
            if exitcode is not None:
                self._processes.remove(process)
                _end_session(process.pid)
            note = self._note(process.pid)
            if note is None:
                continue  # not begun yet
            if exitcode is not None and note.task in self._numbered:
                death = ProcessExpired("ended", exitcode, process.pid)  # type: ignore[no-untyped-call]
                self._ended[self._numbered[note.task]] = death
            limit = self._limits.move_seconds
            if exitcode is None and limit and note.is_overdue(limit):
                self._overdue.add(process.pid)
                process.kill()

    def _was_given_up(self, future: Future[Any]) -> bool:
        """Whether a task is lost with the pool it was in, though its own process did not end of it.

        Raises StarspielError where that goes on and on.
        """
        if future in self._ended or not isinstance(future.exception(), BrokenProcessPool):
            self._given_up = 0
            return False
        self._given_up += 1
        if self._given_up > _MOST_GIVEN_UP * self._workers:
            raise StarspielError(_NO_START)
        return True

    def _result(self, future: Future[Any]) -> Any:
        if future in self._ended:
            raise self._ended.pop(future)
        return future.result()

    def _batch_size(self, waiting: int) -> int:
        if not self._pair_seconds:
            return 1
        fair_share = -(-waiting // (2 * self._workers))
        return max(1, min(int(_TASK_SECONDS / self._pair_seconds), fair_share))

    def _finish_batch(
        self, future: Future[Any], batch: tuple[Pair, ...], waiting: deque[Pair]
    ) -> Iterator[PairRecord]:
        try:
            records, seconds = self._result(future)
        except ProcessExpired as death:
            _, culprit, agent, _ = self._last_note(death.pid)
            again = _Again(batch[culprit], self._folder / f"{death.pid}.again")
            if death.exitcode != _OUT_OF_MEMORY and agent != NOBODY:
                again.blame(agent, self._fault(death, again.pair.agents, agent))
            self._play_again(again)
            # The others were bystanders: they are played as if for the first time.
            waiting.extendleft(reversed(batch[:culprit] + batch[culprit + 1 :]))
            return
        self._pair_seconds = seconds / len(batch)
        yield from records

    def _play_again(self, again: "_Again") -> None:
        seats = list(again.pair.seatings())[len(again.games)]
        again.journal.write_bytes(b"")
        self._schedule(again, self._apart, _play_apart, again.pair, seats, str(again.journal))

    def _finish_again(self, future: Future[Any], again: "_Again") -> Iterator[PairRecord]:
        seats = list(again.pair.seatings())[len(again.games)]
        try:
            game = self._result(future)
        except ProcessExpired as death:
            agent = self._last_note(death.pid).agent
            journal = again.journal.read_bytes()
            actions = struct.unpack(f"<{len(journal) // 8}q", journal[: len(journal) // 8 * 8])
            fault = self._fault(death, seats, agent)
            game = ended_early(self._job.game, seats, actions, fault)
        again.games.append(game)
        if game.fault is not None:
            again.blame(seats[game.fault.seat], game.fault)
        if len(again.games) < len(list(again.pair.seatings())):
            self._play_again(again)
        else:
            yield PairRecord(again.pair, tuple(again.games), again.voided)

    def _note(self, pid: int | None) -> Note | None:
        with suppress(FileNotFoundError), (self._folder / f"{pid}.note").open("rb") as file:
            return Note.read(file.fileno())
        return None

    def _last_note(self, pid: int | None) -> Note:
        """What a dead worker was at."""
        note = self._note(pid)
        if note is None:
            raise StarspielError(_NO_START)
        return note

    def _fault(self, death: ProcessExpired, seats: tuple[int, ...], agent: int) -> Fault:
        exitcode = death.exitcode
        if agent == NOBODY:
            raise StarspielError(
                f"a worker {ending(exitcode)} twice while no agent was at move, most likely where luck was "
                f"measured by {self._job.luck_identity}. Finished pairs are kept in the store, if there is "
                "one."
            )
        seat = seats.index(agent)
        if death.pid in self._overdue:
            return Fault(seat, "hung", f"no move within {self._limits.move_seconds:g} s")
        if exitcode == _OUT_OF_MEMORY:
            return Fault(seat, "memory", "MemoryError")
        return Fault(seat, "crashed", f"the process {ending(exitcode)}")


def ending(exitcode: int) -> str:
    """How a process ended, as the end of a sentence about it."""
    if exitcode < 0:
        return f"died of {signal.Signals(-exitcode).name}"
    return f"ended with exit code {exitcode}"


def _end_session(leader: int | None) -> None:
    """Ends the processes that a worker has left behind."""
    if leader is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


class _Again:
    """A void pair that is played once more, game by game."""

    def __init__(self, pair: Pair, journal: Path) -> None:
        self.pair = pair
        self.journal = journal
        self.games: list[GameRecord] = []
        self.voided: tuple[tuple[int, Fault], ...] = ()

    def blame(self, agent: int, fault: Fault) -> None:
        """Says who made the pair void; the first who is found stays."""
        self.voided = self.voided or ((agent, fault),)


# What follows runs in the workers.

_JOB: Job
_WATCH: Watcher


class _Journal(list[int]):
    """A list that a file follows, whatever happens to the process."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115  # closed with the process or the game

    def append(self, action: int) -> None:
        _WATCH.check_process()
        super().append(action)
        self._file.write(struct.pack("<q", action))


def _begin(job: Job, limits: HardLimits, folder: str) -> None:
    global _JOB, _WATCH
    die_with_parent()
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    if limits.memory_mb is not None:
        limit_memory(limits.memory_mb)
    _JOB = job
    with (Path(folder) / f"{os.getpid()}.note").open("w+b") as file:
        _WATCH = Watcher(file)


def die_with_parent() -> None:
    """A parent that is killed takes its workers along (Linux; elsewhere they end with their next task)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def limit_memory(megabytes: int) -> None:
    """From here on this process may take that much beyond what it has."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _play_batch(number: int, batch: tuple[Pair, ...]) -> tuple[list[PairRecord], float]:
    began = perf_counter()
    _WATCH.begin(number)
    records = []
    for index, pair in enumerate(batch):
        _WATCH.pair(index)
        with _ending_without_memory():
            record = _JOB.play(pair, _WATCH)
        if any(fault.kind == "memory" for _, fault in record.faults + record.voided):
            os._exit(_OUT_OF_MEMORY)
        records.append(record)
    _WATCH.end()
    return records, perf_counter() - began


@contextmanager
def _ending_without_memory() -> Iterator[None]:
    """Ends the process where memory runs out outside of the agents' own code."""
    try:
        yield
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)


def _play_apart(number: int, pair: Pair, seats: tuple[int, ...], journal: str) -> GameRecord:
    _WATCH.begin(number)
    _WATCH.pair(0)
    with _ending_without_memory():
        record = _JOB.play_game(pair, seats, _WATCH, _Journal(journal))
    _WATCH.end()
    return record
