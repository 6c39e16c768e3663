"""One agent's line in the table of a tournament."""

from dataclasses import dataclass
from math import nan

from starspiel.evaluation.statistics.agent_totals import AgentTotals


@dataclass(frozen=True)
class Standing:
    """One agent's line in the table.

    Attributes:
        agent: its name.
        elo, low, high: Elo with its 95 % interval; NaN in one-player games, infinite if no result bounds it.
        score: points (win 1, draw ½) of `totals.games`; in one-player games the sum of returns. With more
            than two players, the games won, and of those won with others a share.
        mean, mean_low, mean_high: score per game with its 95 % interval; with one player, or more than two,
            the mean return by Student's t, and NaN bounds if the returns are too few, or do not vary.
        totals: the sums behind it.
        share, share_low, share_high: with more than two players, `score` per game with its 95 % interval.
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
