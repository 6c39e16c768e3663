"""More than two agents: which differences survive a correction for having looked at all of them."""

from itertools import combinations, permutations
from math import erfc, sqrt

import numpy as np

from starspiel.evaluation.statistics.intervals import SCORES, Array, PairCounts
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
    """(n, n): two-sided p of "these two are equal", on pair scores; NaN where they never met.

    Under the hypothesis a pair's score is as likely to be above ½ as below by the same amount, so the
    variance is taken about ½ and not about the mean: a short run of wins is no certainty.
    """
    agents = results.agents
    matrix = np.full((agents, agents), np.nan)
    excess = np.add.outer(SCORES, SCORES) / 2.0 - 0.5
    for i, j in combinations(range(agents), 2):
        counts = results.counts[i, j]
        if counts.sum():
            spread = float((counts * excess**2).sum())
            z = abs(float((counts * excess).sum())) / sqrt(spread) if spread else 0.0
            matrix[i, j] = matrix[j, i] = erfc(z / sqrt(2.0))
    return matrix


def holm(p: Array) -> Array:
    """p-values of the upper triangle after Holm's step-down correction, as a symmetric matrix."""
    adjusted = np.full(p.shape, np.nan)
    upper = [(i, j) for i, j in combinations(range(len(p)), 2) if not np.isnan(p[i, j])]
    running = 0.0
    for rank, (i, j) in enumerate(sorted(upper, key=lambda edge: float(p[edge]))):
        running = max(running, min(1.0, float(p[i, j]) * (len(upper) - rank)))
        adjusted[i, j] = adjusted[j, i] = running
    return adjusted


def rank_sets(elo: Array, samples: Array, level: float = 0.95) -> list[tuple[int, int]]:
    """(best, worst) rank of each agent that the data leave open, all at once with probability `level`.

    Differences of ratings are tested pairwise against their bootstrap spread, with Holm's correction over all
    pairs (after Mogstad, Romano, Shaikh & Wilhelm 2024, "Inference for ranks").
    """
    agents = len(elo)
    p = np.full((agents, agents), np.nan)
    for i, j in combinations(range(agents), 2):
        spread = float(np.std(samples[:, i] - samples[:, j]))
        if spread:
            p[i, j] = erfc(abs(float(elo[i] - elo[j])) / spread / sqrt(2.0))
    sure = holm(p) < 1.0 - level
    above = [sum(bool(sure[i, j]) and elo[j] > elo[i] for j in range(agents)) for i in range(agents)]
    below = [sum(bool(sure[i, j]) and elo[j] < elo[i] for j in range(agents)) for i in range(agents)]
    return [(1 + above[i], agents - below[i]) for i in range(agents)]


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
