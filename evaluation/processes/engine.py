"""Who plays the pairs of a Job."""

from collections.abc import Generator, Sequence
from typing import Protocol

from starspiel.evaluation.job import Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import PairRecord


class Engine(Protocol):
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
