"""Plays a tournament on a Ray cluster, with the same games and records as on one machine.

If a node or worker dies, only the pairs that it was playing are lost, and they are played again. Pairs that
repeatedly kill their workers are played on this machine by `LocalWorkers`.
"""

from collections import deque
from collections.abc import Generator, Sequence
from time import perf_counter
from typing import Any

from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.ray_cluster import connected, imported_ray, processors_of, said_by, shared
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.attempts import Attempts, Begin
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import PairRecord
from starspiel.evaluation.processes.executor import LocalWorkers, Work
from starspiel.evaluation.processes.workers import Task
from starspiel.evaluation.referee import Referee
from starspiel.evaluation.seating import Seating

#: How often pairs are retried after their worker or node died.
_RETRIES = 2


class RayCluster:
    """Plays pairs on a Ray cluster: the one at `address`, or a new one here with `workers` processors.

    Raises StarspielError if Ray is not installed, or the cluster cannot be reached.
    """

    keeps_secrets = False  # Ray gives its data to any process of its user that asks for it

    def __init__(
        self, workers: int = 2, address: str | None = None, limits: HardLimits | None = None
    ) -> None:
        ray = imported_ray()
        if workers < 1:
            raise StarspielError(f"expected at least 1 worker, got {workers}.")
        self._ray: Any = ray
        self.workers = workers
        self.address = address
        self.limits = limits or HardLimits()

    def play(
        self, referee: Referee, schedule: Sequence[Pair], begin: Begin | None = None
    ) -> Generator[PairRecord, None, None]:
        """Yields the records as they are finished; a cluster that was started here is stopped at the end."""
        with connected(self._ray, self.workers, self.address):
            yield from self._records(referee, schedule, begin or Attempts(referee.job).begin)

    def _records(
        self, referee: Referee, schedule: Sequence[Pair], begin: Begin
    ) -> Generator[PairRecord, None, None]:
        ray = self._ray
        remote = ray.remote(max_retries=0)(_play)  # Ray's own retry would use the same dice again
        sent = shared(ray, referee, referee.job.game.name)
        work = Work(referee, begin, deque(schedule), processors_of(ray))
        running: dict[Any, Task] = {}
        while running or not work.is_done:
            while not work.is_done and len(running) < 2 * processors_of(ray):
                task = work.next()
                running[remote.remote(sent, task.pairs, self.limits)] = task
            done, _ = ray.wait(list(running), num_returns=1)
            task = running.pop(done[0])
            try:
                records, seconds = ray.get(done[0])
            except ray.exceptions.RayTaskError as error:
                raise StarspielError(f"a task on the cluster failed: {said_by(error.cause)}") from None
            except ray.exceptions.RayError:
                if task.deaths < _RETRIES:
                    work.again.append(task._replace(deaths=task.deaths + 1))
                else:
                    yield from LocalWorkers(1, self.limits).play(referee, task.pairs, begin)
                continue
            work.pair_seconds = seconds / len(task.pairs)
            yield from records


def _play(referee: Referee, batch: Sequence[Pair], limits: HardLimits) -> tuple[list[PairRecord], float]:
    """Plays pairs in a process of the cluster, which is their referee; returns records and seconds.

    The agents' own processes stay there for the next task.
    """
    began = perf_counter()
    return [referee.referee(pair, Seating(limits)) for pair in batch], perf_counter() - began
