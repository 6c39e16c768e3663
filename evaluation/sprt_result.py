"""Provides `SprtResult`, the state of a sequential test."""

from dataclasses import dataclass
from functools import cached_property

from starspiel.evaluation.statistics.after_sprt import score_after
from starspiel.evaluation.statistics.sprt import Sprt


@dataclass(frozen=True)
class SprtResult:
    """The state of a sequential test of the first agent against the second.

    Attributes:
        five: number of pairs in which the first agent has 0, ½, 1, 1½ and 2 points; with more than two
            players, number of rounds of blocks in which its score is 0, ¼, ½, ¾ and 1.
        llr: the log-likelihood ratio.
        verdict: "upper" or "lower", whichever hypothesis was accepted, or None.
        together: how many pairs, or blocks, have one result together.
    """

    test: Sprt
    five: tuple[int, int, int, int, int]
    llr: float
    verdict: str | None
    together: int = 1

    @cached_property
    def score(self) -> tuple[float, float, float]:
        """Estimate, low and high of the first agent's mean score, adjusted for how the test stops."""
        return score_after(self.test, self.five)
