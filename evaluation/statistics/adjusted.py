"""Computes mean returns, raw and luck-adjusted, with intervals."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from starspiel.agents.means import margin, mean_and_error
from starspiel.evaluation.statistics.blocks import Blocks
from starspiel.evaluation.statistics.means import log_variance_ratio_error, mean_margin
from starspiel.evaluation.statistics.tally import Tally

#: Meeting -> pair number -> (raw, adjusted) mean return.
Returns = Mapping[tuple[int, ...], Mapping[int, tuple[float, float]]]


@dataclass(frozen=True)
class Adjusted:
    """Mean return per game of one agent against another, raw and luck-adjusted.

    Attributes:
        agents: indices of the agent and its opponent (of the agent alone in one-player games).
        pairs, left_out: number of pairs that count, and of pairs left out because of a forfeit.
        raw, raw_error, raw_margin: mean of the pairs' mean returns, its standard error, and half its 95 %
            interval by `mean_interval`; NaN if there are too few pairs or these do not vary.
        adjusted, adjusted_error, adjusted_margin: their luck-adjusted counterparts.
        log_factor_error: the standard error of the logarithm of `variance_factor`; NaN if unknown.
    """

    agents: tuple[int, ...]
    pairs: int
    left_out: int
    raw: float
    raw_error: float
    raw_margin: float
    adjusted: float
    adjusted_error: float
    adjusted_margin: float
    log_factor_error: float

    @property
    def variance_factor(self) -> float:
        """Ratio of the games that raw and adjusted means need for the same interval; NaN if unknown."""
        return (self.raw_error / self.adjusted_error) ** 2

    @property
    def variance_factor_interval(self) -> tuple[float, float]:
        """Low and high of the 95 % interval of `variance_factor`, by the delta method; NaN if unknown.

        Errors of variances are less certain than those of means: with Student's t for half as many pairs, 91
        to 99 % of intervals hold the truth from 3 pairs on.
        """
        around = exp(margin(self.log_factor_error, (self.pairs + 1) // 2))
        return self.variance_factor / around, self.variance_factor * around


def adjusted_mean(
    agents: tuple[int, ...], returns: Sequence[tuple[float, float]], left_out: int = 0
) -> Adjusted:
    """Returns the means of the (raw, adjusted) mean returns of each pair."""
    columns = np.asarray(returns, dtype=np.float64).reshape(-1, 2).T
    raw, adjusted = ((*mean_and_error(column), mean_margin(column)) for column in columns)
    return Adjusted(agents, len(returns), left_out, *raw, *adjusted, log_variance_ratio_error(*columns))


def less_luck(tally: Tally, blocks: Blocks | None) -> tuple[Returns, Counter[tuple[int, ...]]]:
    """Returns meeting -> pair number -> (raw, adjusted) mean return, and the number of pairs left out.

    With `blocks`, rounds replace pairs, and single agents replace meetings.
    """
    if blocks is None:
        return tally.returns, tally.forfeited
    own: Returns = {(agent,): each for agent, each in enumerate(blocks.adjusted_returns)}
    missing: dict[tuple[int, ...], int] = {
        (agent,): len(each) - len(own[agent,]) for agent, each in enumerate(blocks.mean_returns)
    }
    return own, Counter(missing)


def adjusted_means(tally: Tally, blocks: Blocks | None) -> tuple[Adjusted, ...]:
    """Returns the mean returns of every meeting; with one player, or with `blocks`, of every agent."""
    returns, left_out = less_luck(tally, blocks)
    return tuple(
        adjusted_mean(agents, [own for _, own in sorted(returns.get(agents, {}).items())], left_out[agents])
        for agents in sorted(returns.keys() | left_out.keys())
    )
