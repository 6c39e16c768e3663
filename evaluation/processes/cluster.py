"""A Ray cluster as the executor of a tournament: the same pairs, the same games, the same records.

A node or worker that dies takes its pairs in flight with it and nothing else: they are run again. Pairs that
keep killing their workers are played here, in a worker process with every agent that can in its own.
"""

import os
import socket
from collections import deque
from collections.abc import Generator, Sequence
from time import perf_counter
from typing import Any

from starspiel.agents.hard_limits import HardLimits
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.attempts import Attempts, Begin
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import PairRecord
from starspiel.evaluation.processes.executor import LocalWorkers, Work
from starspiel.evaluation.processes.workers import Task
from starspiel.evaluation.referee import Referee
from starspiel.evaluation.seating import Seating

#: How often pairs are retried whose worker or node died.
_RETRIES = 2


class RayCluster:
    """Plays pairs on a Ray cluster: at `address`, or on one that is started here with `workers` processors.

    Raises StarspielError if Ray is not installed, or the cluster cannot be reached.
    """

    keeps_secrets = False  # Ray hands everything to whatever process of its user asks for it

    def __init__(
        self, workers: int = 2, address: str | None = None, limits: HardLimits | None = None
    ) -> None:
        try:
            import ray
        except ImportError:
            raise StarspielError('the engine ray needs Ray: pip install "starspiel[ray]".') from None
        if workers < 1:
            raise StarspielError(f"expected at least 1 worker, got {workers}.")
        self._ray: Any = ray
        self.workers = workers
        self.address = address
        self.limits = limits or HardLimits()

    def play(
        self, referee: Referee, schedule: Sequence[Pair], begin: Begin | None = None
    ) -> Generator[PairRecord, None, None]:
        """The records as they are finished; a cluster that was started here is stopped at the end."""
        started = self._connect()
        try:
            yield from self._records(referee, schedule, begin or Attempts(referee.job).begin)
        finally:
            if started:
                self._ray.shutdown()

    def _connect(self) -> bool:
        if self._ray.is_initialized():
            return False
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if self.address is None:
            options |= {"address": "local", "num_cpus": self.workers, "include_dashboard": False}
        else:
            options["address"] = self.address
        try:
            _knock(os.environ.get("RAY_ADDRESS") if self.address == "auto" else self.address)
            self._ray.init(**options)
        except Exception as error:  # a node that is late to start is one, of no class of its own
            reason = (str(error).strip().splitlines() or ["no reason given"])[0]
            raise StarspielError(
                f"cannot reach a Ray cluster at {self.address or 'this machine'}: {reason}"
            ) from None
        return True

    def _records(
        self, referee: Referee, schedule: Sequence[Pair], begin: Begin
    ) -> Generator[PairRecord, None, None]:
        ray = self._ray
        remote = ray.remote(max_retries=0)(_play)  # Ray's own retry would throw the same dice again
        try:
            shared = ray.put(referee)
        except Exception as error:  # whatever a user's environment raises when it is pickled
            raise StarspielError(
                f"{referee.job.game.name} cannot be sent to other machines: {type(error).__name__}: {error}. "
                "Name the game by its module, as in my_module:MyEnv(sides=8), or use --workers here."
            ) from None
        work = Work(referee, begin, deque(schedule), self._processors())
        running: dict[Any, Task] = {}
        while running or not work.is_done:
            while not work.is_done and len(running) < 2 * self._processors():
                task = work.next()
                running[remote.remote(shared, task.pairs, self.limits)] = task
            done, _ = ray.wait(list(running), num_returns=1)
            task = running.pop(done[0])
            try:
                records, seconds = ray.get(done[0])
            except ray.exceptions.RayTaskError as error:
                reason = (str(error.cause).strip().splitlines() or [type(error.cause).__name__])[0]
                raise StarspielError(f"a task on the cluster failed: {reason}") from None
            except ray.exceptions.RayError:
                if task.deaths < _RETRIES:
                    work.again.append(task._replace(deaths=task.deaths + 1))
                else:
                    yield from LocalWorkers(1, self.limits).play(referee, task.pairs, begin)
                continue
            work.pair_seconds = seconds / len(task.pairs)
            yield from records

    def _processors(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", self.workers)))


def _knock(address: str | None) -> None:
    """Raises OSError if nothing listens at host:port, for which Ray would wait for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=10.0).close()


def _play(referee: Referee, batch: Sequence[Pair], limits: HardLimits) -> tuple[list[PairRecord], float]:
    """Runs on the cluster, in a process that is the referee; its engines wait there for the next task."""
    began = perf_counter()
    return [referee.referee(pair, Seating(limits)) for pair in batch], perf_counter() - began
