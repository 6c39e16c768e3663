"""Who plays which pair when: tasks for the workers, and whose fault it was where one dies.

The parent reads the workers' notes and kills a worker whose move takes too long: nothing that a bot does
within its process can prevent it. When the process dies (of a crash, or so), the note says which agent did
it. The pair is then void and its games are played once more, each in a new process of its own; one that kills
that too is forfeited.

Whose memory it was that ran out cannot be known where others played before, so the first time is nobody's
fault.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import count
from pathlib import Path
from typing import Any

from pebble import ProcessExpired

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.job import Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.play.faults import ended_early
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Fault, GameRecord, PairRecord
from starspiel.evaluation.play.seat import NOBODY
from starspiel.evaluation.processes.watch import Note
from starspiel.evaluation.processes.worker import OUT_OF_MEMORY, actions_in, ending, play_batch, play_single
from starspiel.evaluation.processes.workers import Pool, Workers

#: Tasks of this many seconds keep the cost of handing them out below a few percent.
_TASK_SECONDS = 0.5
#: The parent looks after its workers this often.
_LOOK_SECONDS = 0.1
#: Tasks in a row, a worker, that are lost with their pool before there is no use in another.
_MOST_GIVEN_UP = 20
_NO_START = (
    "a worker died before its first game; is there enough memory? Try fewer workers or a higher limit."
)


class Dispatcher:
    """The tasks of one tournament: batches of pairs, and single games of pairs that were void."""

    def __init__(self, workers: Workers, job: Job, limits: HardLimits) -> None:
        self._workers = workers
        self._job = job
        self._limits = limits
        self._tasks: dict[Future[Any], tuple[Pair, ...] | _VoidPair] = {}
        self._numbers = count()
        self._numbered: dict[int, Future[Any]] = {}
        self._ended: dict[Future[Any], ProcessExpired] = {}
        self._overdue: set[int | None] = set()
        self._given_up = 0
        self._pair_seconds = 0.0

    def records(self, schedule: Sequence[Pair]) -> Iterator[PairRecord]:
        waiting = deque(schedule)
        while waiting or self._tasks:
            while waiting and len(self._tasks) < 2 * self._workers.number:
                size = min(len(waiting), self._batch_size(len(waiting)))
                batch = tuple(waiting.popleft() for _ in range(size))
                self._schedule(batch, self._workers.batches, play_batch, batch)
            done, _ = wait(self._tasks, _LOOK_SECONDS, return_when=FIRST_COMPLETED)
            self._look_after_workers()
            done |= self._ended.keys() | (self._workers.take_forgotten() & self._tasks.keys())
            self._numbered = {n: future for n, future in self._numbered.items() if future not in done}
            for future in done:
                task = self._tasks.pop(future)
                if self._was_given_up(future):
                    if isinstance(task, _VoidPair):
                        self._play_single(task)
                    else:
                        waiting.extendleft(reversed(task))
                elif isinstance(task, _VoidPair):
                    yield from self._finish_single(future, task)
                else:
                    yield from self._finish_batch(future, task, waiting)

    def _schedule(
        self, task: "tuple[Pair, ...] | _VoidPair", pool: Pool, play: Callable[..., Any], *args: Any
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
        for process in self._workers.processes:
            exitcode = process.exitcode
            if exitcode is not None:
                self._workers.forget(process)
            note = self._workers.note(process.pid)
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
        forgotten = not future.done() or isinstance(future.exception(), BrokenProcessPool)
        if future in self._ended or not forgotten:
            self._given_up = 0
            return False
        self._given_up += 1
        if self._given_up > _MOST_GIVEN_UP * self._workers.number:
            raise StarspielError(_NO_START)
        return True

    def _result(self, future: Future[Any]) -> Any:
        if future in self._ended:
            raise self._ended.pop(future)
        return future.result()

    def _batch_size(self, waiting: int) -> int:
        if not self._pair_seconds:
            return 1
        fair_share = -(-waiting // (2 * self._workers.number))
        return max(1, min(int(_TASK_SECONDS / self._pair_seconds), fair_share))

    def _finish_batch(
        self, future: Future[Any], batch: tuple[Pair, ...], waiting: deque[Pair]
    ) -> Iterator[PairRecord]:
        try:
            records, seconds = self._result(future)
        except ProcessExpired as death:
            _, culprit, agent, _ = self._last_note(death.pid)
            void = _VoidPair(batch[culprit], self._workers.folder / f"{death.pid}.journal")
            if death.exitcode != OUT_OF_MEMORY and agent != NOBODY:
                void.blame(agent, self._fault(death, void.pair.agents, agent))
            self._play_single(void)
            # The others were bystanders: they are played as if for the first time.
            waiting.extendleft(reversed(batch[:culprit] + batch[culprit + 1 :]))
            return
        self._pair_seconds = seconds / len(batch)
        yield from records

    def _play_single(self, void: "_VoidPair") -> None:
        void.journal.write_bytes(b"")
        self._schedule(
            void, self._workers.singles, play_single, void.pair, void.next_seats, str(void.journal)
        )

    def _finish_single(self, future: Future[Any], void: "_VoidPair") -> Iterator[PairRecord]:
        seats = void.next_seats
        try:
            game = self._result(future)
        except ProcessExpired as death:
            agent = self._last_note(death.pid).agent
            fault = self._fault(death, seats, agent)
            game = ended_early(self._job.game, seats, actions_in(void.journal), fault)
        void.games.append(game)
        if game.fault is not None:
            void.blame(seats[game.fault.seat], game.fault)
        if len(void.games) < len(list(void.pair.seatings())):
            self._play_single(void)
        else:
            yield PairRecord(void.pair, tuple(void.games), void.voided)

    def _last_note(self, pid: int | None) -> Note:
        """What a dead worker was at."""
        note = self._workers.note(pid)
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
        if exitcode == OUT_OF_MEMORY:
            return Fault(seat, "memory", "MemoryError")
        return Fault(seat, "crashed", f"the process {ending(exitcode)}")


class _VoidPair:
    """A void pair that is played once more, game by game."""

    def __init__(self, pair: Pair, journal: Path) -> None:
        self.pair = pair
        self.journal = journal
        self.games: list[GameRecord] = []
        self.voided: tuple[tuple[int, Fault], ...] = ()

    def blame(self, agent: int, fault: Fault) -> None:
        """Says who made the pair void; the first who is found stays."""
        self.voided = self.voided or ((agent, fault),)

    @property
    def next_seats(self) -> tuple[int, ...]:
        """The agents by seat in the next of its games."""
        return list(self.pair.seatings())[len(self.games)]
