"""Plays a tournament's pairs in this process or in local workers; cluster.py plays them on a cluster."""

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Protocol

from starspiel.agents.hard_limits import HardLimits
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.attempts import Attempts, Begin
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Fault, PairRecord
from starspiel.evaluation.processes.workers import LOOK_SECONDS, Task, Worker
from starspiel.evaluation.referee import Referee
from starspiel.evaluation.seating import Seating, end_idle_engines

#: Target duration of a task in seconds, long enough that distribution costs little.
_TASK_SECONDS = 0.5


class Executor(Protocol):
    """The interface of executors, which play pairs in any order.

    Attributes:
        keeps_secrets: whether agents' own processes cannot read the data that it is given.
    """

    keeps_secrets: bool

    @property
    def limits(self) -> HardLimits:
        """The limits of agents."""

    def play(
        self, referee: Referee, schedule: Sequence[Pair], begin: Begin | None = None
    ) -> Generator[PairRecord, None, None]:
        """Yields the records as they are finished; closing the generator stops the play.

        Each pair is passed to `begin` before its dice are thrown, and the returned pair is played.
        """


class InProcess:
    """Plays the pairs one after another in this process, which is the referee."""

    keeps_secrets = True

    def __init__(self, limits: HardLimits | None = None) -> None:
        self.limits = limits or HardLimits()

    def play(
        self, referee: Referee, schedule: Sequence[Pair], begin: Begin | None = None
    ) -> Generator[PairRecord, None, None]:
        begin = begin or Attempts(referee.job).begin
        try:
            for pair in schedule:
                [begun] = begin([pair])
                yield referee.referee(begun, Seating(self.limits))
        finally:
            end_idle_engines()


class LocalWorkers:
    """Plays pairs in `workers` processes of this machine, each of which is a referee.

    If a worker dies or is stopped while the process of an external agent is being asked, that agent loses the
    game. Otherwise the pair is played again, with every agent in a separate process if possible.
    """

    keeps_secrets = True

    def __init__(self, workers: int, limits: HardLimits | None = None) -> None:
        if workers < 1:
            raise StarspielError(f"expected at least 1 worker, got {workers}.")
        self.workers = workers
        self.limits = limits or HardLimits()

    def play(
        self, referee: Referee, schedule: Sequence[Pair], begin: Begin | None = None
    ) -> Generator[PairRecord, None, None]:
        """Yields the records. Raises StarspielError if workers die twice over a pair by no known agent."""
        work = Work(
            referee, begin or Attempts(referee.job).begin, deque(schedule), min(self.workers, len(schedule))
        )
        workers: list[Worker] = []
        try:
            while not work.is_done or any(worker.task for worker in workers):
                while len(workers) < max(1, work.workers):
                    workers.append(Worker(referee, self.limits))
                for worker in workers:
                    if worker.task is None and not work.is_done:
                        worker.begin(work.next())
                busy = [worker for worker in workers if worker.task]
                ready = wait([end for worker in busy for end in worker.ends], LOOK_SECONDS)
                for worker in busy:
                    if not any(end in ready for end in worker.ends) and not worker.is_stopped():
                        continue
                    yield from worker.records()
                    if worker.is_dead:
                        workers.remove(worker)
                        worker.stop()
                        work.put_back(worker)
                    elif worker.task is None:
                        work.pair_seconds = worker.pair_seconds
        finally:
            for worker in workers:
                worker.stop()


@dataclass
class Work:
    """The remaining work: waiting pairs, and tasks to retry."""

    referee: Referee
    begin: Begin
    waiting: deque[Pair]
    workers: int
    pair_seconds: float = 0.0
    again: deque[Task] = field(default_factory=deque)

    @property
    def is_done(self) -> bool:
        return not (self.waiting or self.again)

    def next(self) -> Task:
        """Returns the next task to play, with the attempts at its pairs counted."""
        if self.again:
            task = self.again.popleft()
            return task._replace(pairs=tuple(self.begin(task.pairs)))
        share = -(-len(self.waiting) // (2 * self.workers))
        size = max(1, min(int(_TASK_SECONDS / self.pair_seconds), share)) if self.pair_seconds else 1
        return Task(tuple(self.begin([self.waiting.popleft() for _ in range(size)])))

    def put_back(self, worker: Worker) -> None:
        """Queues the pairs that a dead worker has left. Raises StarspielError if a retry would be useless."""
        task, left = worker.task, worker.left()
        if task is None or not left:
            return
        pair, *others = left
        self.waiting.extendleft(reversed(others))
        agent, game = worker.board.asked, worker.board.game
        forfeits = dict(task.forfeits or {})
        if agent in self.referee.job.foreign:
            fault = Fault(
                list(pair.seatings())[game].index(agent),
                "crashed",
                f"its referee's process {worker.fate} while it was asked",
            )
            forfeits[game] = fault
        elif task.apart:
            names = " and ".join(self.referee.job.names[agent] for agent in pair.agents)
            raise StarspielError(
                f"a worker {worker.fate} twice while playing a pair of {names}. Agents given as Python "
                "objects play in the worker, as does an evaluator of luck; an agent given as "
                "package.module:factory does not. Finished pairs are kept in the store, if there is one."
            )
        self.again.append(Task((pair,), apart=task.apart or not forfeits, forfeits=forfeits))
