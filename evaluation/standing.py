"""Provides `Standing`, one agent's line in the table of a tournament."""

from dataclasses import dataclass
from math import nan

from starspiel.evaluation.statistics.agent_totals import AgentTotals


@dataclass(frozen=True)
class Standing:
    """One agent's line in the table.

    Attributes:
        agent: the agent's name.
        elo, low, high: Elo with its 95 % interval; NaN in one-player games, infinite if no result bounds it.
        score: points (win 1, draw ½) in `totals.games`; in one-player games the sum of returns. With more
            than two players, or two without zero sum, the games won, where a shared win counts as a share.
        mean, mean_low, mean_high: score per game with its 95 % interval in zero-sum games of two players. In
            others, the mean return with Student's t interval; bounds are NaN if the returns are too few or
            constant.
        totals: the sums behind the line.
        share, share_low, share_high: with more than two players, or two without zero sum, `score` per game
            with its 95 % interval.
    """

    agent: str
    elo: float
    low: float
    high: float
    score: float
    mean: float
    mean_low: float
    mean_high: float
    totals: AgentTotals
    share: float = nan
    share_low: float = nan
    share_high: float = nan
