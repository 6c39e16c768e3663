"""More than two agents: which differences survive a correction for having looked at all of them."""

from collections.abc import Sequence
from itertools import combinations, permutations
from math import sqrt

import numpy as np

from starspiel.evaluation.statistics.intervals import Array, PairCounts
from starspiel.evaluation.statistics.ratings import Ratings
from starspiel.evaluation.statistics.sprt import los


def los_matrix(results: PairCounts) -> Array:
    """(n, n): likelihood that the row's agent is better than the column's; NaN where they never met."""
    agents = results.agents
    matrix = np.full((agents, agents), np.nan)
    for i, j in permutations(range(agents), 2):
        if results.pairs[i, j]:
            matrix[i, j] = los(results.five(i, j))
    return matrix


def p_values(results: PairCounts) -> Array:
    """(n, n): two-sided p of "these two are equal", by `pair_score_p`; NaN where they never met."""
    agents = results.agents
    matrix = np.full((agents, agents), np.nan)
    for i, j in combinations(range(agents), 2):
        if results.pairs[i, j]:
            matrix[i, j] = matrix[j, i] = pair_score_p(results.five(i, j))
    return matrix


def pair_score_p(five: Sequence[int]) -> float:
    """Two-sided p of "a pair's score is as likely to be above ½ as below by the same amount", exact.

    The share of all choices of signs of the pairs' excess over ½ whose sum is as far from 0. Pairs differ
    from ½ by ¼ or ½ only, so that the sum is that of two binomial variables, and no choice need be gone
    through.
    """
    ll, ld, _, wd, ww = five
    halves, quarters = _flips(ll + ww), _flips(ld + wd)
    # In quarters of a point: every way to sign the halves, times every way to sign the quarters.
    sums = np.convolve(np.kron(halves, [1.0, 0.0])[:-1], quarters)
    excess = np.abs(np.arange(len(sums)) * 2 - (len(sums) - 1))
    p = float(sums[excess >= abs(2 * (ww - ll) + (wd - ld))].sum())
    return min(1.0, p)


def _flips(pairs: int) -> Array:
    """How likely 0, 1, …, `pairs` of so many signs are plus."""
    from scipy.special import gammaln  # slow to load, and not every command needs it

    plus = np.arange(pairs + 1)
    shares: Array = np.exp(
        gammaln(pairs + 1) - gammaln(plus + 1) - gammaln(pairs - plus + 1) - pairs * np.log(2.0)
    )
    return shares


def holm(p: Array) -> Array:
    """p-values of the upper triangle after Holm's step-down correction, as a symmetric matrix."""
    adjusted = np.full(p.shape, np.nan)
    upper = [(i, j) for i, j in combinations(range(len(p)), 2) if not np.isnan(p[i, j])]
    running = 0.0
    for rank, (i, j) in enumerate(sorted(upper, key=lambda edge: float(p[edge]))):
        running = max(running, min(1.0, float(p[i, j]) * (len(upper) - rank)))
        adjusted[i, j] = adjusted[j, i] = running
    return adjusted


def rank_sets(ratings: Ratings, level: float = 0.95) -> list[tuple[int, int]]:
    """(best, worst) rank of each agent that the data leave open, all at once with probability `level`.

    Differences of ratings are tested pairwise by Student's t over pairs, with Holm's correction over all
    differences (after Mogstad, Romano, Shaikh & Wilhelm 2024, "Inference for ranks").
    """
    from scipy.special import stdtr  # slow to load, and not every command needs it

    elo, covariance = ratings.elo, ratings.covariance
    agents = len(elo)
    p = np.full((agents, agents), np.nan)
    for i, j in combinations(range(agents), 2):
        variance = float(covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j])
        if variance > 0.0:
            p[i, j] = 2.0 * stdtr(ratings.freedom, -abs(float(elo[i] - elo[j])) / sqrt(variance))
    sure = holm(p) < 1.0 - level
    above = [sum(bool(sure[i, j]) and elo[j] > elo[i] for j in range(agents)) for i in range(agents)]
    below = [sum(bool(sure[i, j]) and elo[j] < elo[i] for j in range(agents)) for i in range(agents)]
    return [(1 + int(above[i]), agents - int(below[i])) for i in range(agents)]


def cycles(results: PairCounts, level: float = 0.95) -> list[tuple[int, int, int]]:
    """Triples a beats b beats c beats a where all three edges survive Holm's correction."""
    sure = holm(p_values(results)) < 1.0 - level
    beats = sure & (results.matrix > 0.5)
    found = []
    for a, b, c in combinations(range(results.agents), 3):
        for cycle in ((a, b, c), (a, c, b)):
            if all(beats[i, j] for i, j in zip(cycle, (*cycle[1:], cycle[0]), strict=True)):
                found.append(cycle)
    return found
