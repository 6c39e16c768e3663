"""Compares two agents' returns on the same dice, in games of one player or more than two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import erfc, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.statistics.comparisons import holm
from starspiel.evaluation.statistics.means import mean_interval, mean_p

#: Up to this many differences, the test is exact: it covers all choices of their signs.
_EXACT = 24


@dataclass(frozen=True)
class Difference:
    """Mean difference of two agents' returns over the pairs that both have played.

    Attributes:
        agents: indices of the agent and the one it is compared with.
        mean, low, high: return of the first less that of the second, with its 95 % interval by
            `mean_interval`; the bounds are NaN if there are too few differences or these do not vary.
        p: two-sided p of "the two are equal": the larger of `sign_flip_p`, which is valid for few pairs, and
            `mean_p`, which is valid for skewed differences; NaN without pairs.
        p_holm: p after Holm's correction for all comparisons of the tournament.
    """

    agents: tuple[int, int]
    pairs: int
    mean: float
    low: float
    high: float
    p: float
    p_holm: float = nan

    @property
    def flipped(self) -> "Difference":
        """The same difference from the other agent's perspective."""
        first, second = self.agents
        return replace(self, agents=(second, first), mean=0.0 - self.mean, low=-self.high, high=-self.low)


def differences(returns: Sequence[Mapping[int, float]]) -> tuple[Difference, ...]:
    """Returns the differences of any two agents; `returns` maps pair numbers to returns for each agent."""
    agents = len(returns)
    p = np.full((agents, agents), nan)
    found = []
    for i, j in combinations(range(agents), 2):
        common = sorted(returns[i].keys() & returns[j].keys())
        gaps = np.array([returns[i][number] - returns[j][number] for number in common])
        p[i, j] = np.fmax(sign_flip_p(gaps), mean_p(gaps)) if common else nan
        found.append(Difference((i, j), len(common), *mean_interval(gaps), float(p[i, j])))
    corrected = holm(p)
    return tuple(replace(each, p_holm=float(corrected[each.agents])) for each in found)


def sign_flip_p(gaps: NDArray[np.float64]) -> float:
    """Returns the two-sided p of "each difference is as likely to have the other sign".

    It is the share of all choices of signs whose sum is at least as far from zero. It is exact up to 24
    non-zero differences; beyond, it uses the normal distribution, with the smallest difference as continuity
    correction.
    """
    own = gaps[gaps != 0.0]
    if not own.size:
        return 1.0
    total, size = abs(float(own.sum())), np.abs(own)
    if own.size > _EXACT:
        beyond = max(0.0, total - float(size.min()))
        return erfc(beyond / sqrt(2.0 * float(own @ own)))
    # Meets in the middle: sums over one half of the signs are matched with those over the other half.
    reached = total - 1e-9 * float(size.sum())
    if reached <= 0.0:
        return 1.0
    one, other = _sums(own[::2]), np.sort(_sums(own[1::2]))
    above = len(other) - np.searchsorted(other, reached - one)
    return min(1.0, float(2.0 * above.sum() / 2.0**own.size))


def _sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the sums of the values for every choice of signs."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums
