"""Who plays the pairs of a Job: this process, workers of this machine, or (cluster.py) a cluster."""

from collections import deque
from collections.abc import Generator, Sequence
from multiprocessing.connection import wait
from typing import Protocol

from starspiel.agents.seats.limits import HardLimits
from starspiel.agents.seats.stable import close_idle
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.job import Job, Seating
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import PairRecord
from starspiel.evaluation.processes.workers import Task, Worker

#: Tasks of this many seconds keep the cost of handing them out below a few percent.
_TASK_SECONDS = 0.5


class Executor(Protocol):
    """Plays pairs in any order: this process, local workers, a cluster.

    Attributes:
        keeps_secrets: whether no agent's own process can read what it is handed.
    """

    keeps_secrets: bool

    @property
    def limits(self) -> HardLimits:
        """What agents may use before they have lost the game."""

    def play(self, job: Job, schedule: Sequence[Pair]) -> Generator[PairRecord, None, None]:
        """The records as they are finished; closing the generator stops the play."""


class InProcess:
    """Plays the pairs one after the other: this process is the referee."""

    keeps_secrets = True

    def __init__(self, limits: HardLimits | None = None) -> None:
        self.limits = limits or HardLimits()

    def play(self, job: Job, schedule: Sequence[Pair]) -> Generator[PairRecord, None, None]:
        try:
            for pair in schedule:
                yield job.play(pair, Seating(self.limits))
        finally:
            close_idle()


class LocalWorkers:
    """Plays pairs in `workers` processes of this machine, or in as many as there are pairs.

    Each is a referee. One that dies, of a bot given as a Python object or because the machine ran out of
    memory, takes the pairs it was at with it: they are played again, one by one, with every agent that can in
    a process of its own, so that who crashes is known by its pipe.
    """

    keeps_secrets = True

    def __init__(self, workers: int, limits: HardLimits | None = None) -> None:
        if workers < 1:
            raise StarspielError(f"expected at least 1 worker, got {workers}.")
        self.workers = workers
        self.limits = limits or HardLimits()

    def play(self, job: Job, schedule: Sequence[Pair]) -> Generator[PairRecord, None, None]:
        """The records as they are finished; closing the generator stops the workers.

        Raises StarspielError where a worker dies of a pair twice.
        """
        number = max(1, min(self.workers, len(schedule)))
        workers: list[Worker] = []
        waiting, again = deque(schedule), deque[Task]()
        pair_seconds = 0.0
        try:
            while waiting or again or any(worker.task for worker in workers):
                while len(workers) < number:
                    workers.append(Worker(job, self.limits))
                for worker in workers:
                    if worker.task is None and (again or waiting):
                        size = _batch_size(len(waiting), number, pair_seconds)
                        worker.begin(again.popleft() if again else Task(_first(waiting, size)))
                busy = {worker: (worker.connection, worker.sentinel) for worker in workers if worker.task}
                ready = wait([end for ends in busy.values() for end in ends])
                for worker, ends in busy.items():
                    task = worker.task
                    if task is None or not any(end in ready for end in ends):
                        continue
                    played = worker.end()
                    if played is not None:
                        pair_seconds = played.seconds / len(task.pairs)
                        yield from played.records
                        continue
                    workers.remove(worker)
                    worker.stop()
                    if task.apart:
                        raise _died_twice(worker, job, task.pairs[0])
                    again += [Task((pair,), apart=True) for pair in task.pairs]
        finally:
            for worker in workers:
                worker.stop()


def _first(waiting: deque[Pair], number: int) -> tuple[Pair, ...]:
    return tuple([waiting.popleft() for _ in range(number)])


def _batch_size(waiting: int, workers: int, pair_seconds: float) -> int:
    if not pair_seconds:
        return 1
    return max(1, min(int(_TASK_SECONDS / pair_seconds), -(-waiting // (2 * workers))))


def _died_twice(worker: Worker, job: Job, pair: Pair) -> StarspielError:
    names = " and ".join(job.field[agent].name for agent in pair.agents)
    return StarspielError(
        f"a worker {worker.fate} twice over a pair of {names}. Agents given as Python objects play in the "
        "worker, as does an evaluator of luck; an agent given as package.module:factory does not. Finished "
        "pairs are kept in the store, if there is one."
    )
