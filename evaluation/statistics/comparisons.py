"""Comparisons of more than two agents, corrected for multiple testing."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from starspiel.evaluation.statistics.intervals import LEVEL, Array, PairCounts


def p_values(results: PairCounts) -> Array:
    """(n, n): two-sided p of "these two are equal", by `pair_score_p`; NaN if they never met."""
    matrix = np.full((results.agents, results.agents), np.nan)
    of = cache(pair_score_p)  # A hundred agents have thousands of meetings, and few different results.
    for i, j in zip(*np.nonzero(np.triu(results.pairs, 1)), strict=True):
        matrix[i, j] = matrix[j, i] = of(results.five(i, j))
    return matrix


def pair_score_p(five: Sequence[int]) -> float:
    """Two-sided p of "a pair's score is as likely to be above ½ as below by the same amount", exact.

    The share of all choices of signs of the pairs' excess over ½ whose sum is as far from 0. Pairs differ
    from ½ by ¼ or ½ only, so that the sum is that of two binomial variables.
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
    rows, columns = np.nonzero(np.triu(~np.isnan(p), 1))
    order = np.argsort(p[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    left = np.arange(len(order), 0, -1)
    steps = np.maximum.accumulate(np.minimum(1.0, p[rows, columns] * left))
    adjusted[rows, columns] = adjusted[columns, rows] = steps
    return adjusted


def rank_sets(beats: Array) -> list[tuple[int, int]]:
    """(best, worst) rank that each agent may have, from the (n, n) truth values of who is sure to be better.

    All hold at once with the probability that no difference is wrong (after Mogstad, Romano, Shaikh & Wilhelm
    2024, "Inference for ranks").
    """
    above, below = beats.sum(axis=0).tolist(), beats.sum(axis=1).tolist()
    return [(1 + better, len(above) - worse) for better, worse in zip(above, below, strict=True)]


def cycles(results: PairCounts) -> list[tuple[int, int, int]]:
    """Triples in which a beats b beats c beats a and all three edges survive Holm's correction."""
    sure = holm(p_values(results)) < 1.0 - LEVEL
    beats = sure & (results.matrix > 0.5)
    found = []
    for a, b in zip(*np.nonzero(beats), strict=True):
        third = np.nonzero(beats[b] & beats[:, a])[0]
        # Each cycle once, by the first of its agents.
        found += [(int(a), int(b), int(c)) for c in third if a < b and a < c]
    return sorted(found, key=lambda cycle: (sorted(cycle), cycle))
