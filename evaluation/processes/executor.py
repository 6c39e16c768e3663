"""Who plays the pairs of a Job: this process, workers of this machine, or (cluster.py) a cluster."""

import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Protocol

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.job import Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import PairRecord
from starspiel.evaluation.processes.dispatcher import Dispatcher
from starspiel.evaluation.processes.workers import Workers


class Executor(Protocol):
    """Plays pairs in any order: this process, local workers, a cluster."""

    @property
    def limits(self) -> HardLimits:
        """What agents may use before they have lost the game."""

    def play(self, job: Job, schedule: Sequence[Pair]) -> Generator[PairRecord, None, None]:
        """The records as they are finished; closing the generator stops the play."""


class InProcess:
    """Plays the pairs one after the other in this process: least overhead, no protection from crashes."""

    limits = HardLimits()

    def play(self, job: Job, schedule: Sequence[Pair]) -> Generator[PairRecord, None, None]:
        for pair in schedule:
            yield job.play(pair)


class LocalWorkers:
    """Plays pairs in `workers` processes of this machine, or in as many as there are pairs.

    A bot that crashes or hangs loses its own games only. Every worker is a session of its own: what processes
    its bots have started end with it.
    """

    def __init__(self, workers: int, limits: HardLimits | None = None) -> None:
        if workers < 1:
            raise StarspielError(f"expected at least 1 worker, got {workers}.")
        self.workers = workers
        self.limits = limits or HardLimits()

    def play(self, job: Job, schedule: Sequence[Pair]) -> Generator[PairRecord, None, None]:
        """The records as they are finished; closing the generator stops the workers."""
        with tempfile.TemporaryDirectory(prefix="starspiel-") as folder:
            workers = Workers(max(1, min(self.workers, len(schedule))), job, self.limits, Path(folder))
            try:
                yield from Dispatcher(workers, job, self.limits).records(schedule)
            finally:
                workers.stop()
