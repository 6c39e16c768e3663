"""Compares more than two agents, with corrections for multiple testing."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from starspiel.evaluation.statistics.intervals import LEVEL, Array, PairCounts


def p_values(results: PairCounts) -> Array:
    """Returns (n, n): two-sided p of "these two are equal", by `pair_score_p`; NaN if they never met."""
    matrix = np.full((results.agents, results.agents), np.nan)
    of = cache(pair_score_p)  # A hundred agents have thousands of meetings, but few different results.
    for i, j in zip(*np.nonzero(np.triu(results.pairs, 1)), strict=True):
        matrix[i, j] = matrix[j, i] = of(results.five(i, j))
    return matrix


def pair_score_p(five: Sequence[int]) -> float:
    """Returns the exact two-sided p of "a pair's score is as likely above ½ as below it by the same amount".

    It is the share of all choices of signs, of the pairs' excess over ½, whose sum is at least as far from 0
    as the observed sum. Pairs differ from ½ only by ¼ or ½, so it is a sum of two binomial variables.
    """
    ll, ld, _, wd, ww = five
    halves, quarters = _flips(ll + ww), _flips(ld + wd)
    # In quarters of a point: all ways to sign the halves, combined with all ways to sign the quarters.
    sums = np.convolve(np.kron(halves, [1.0, 0.0])[:-1], quarters)
    excess = np.abs(np.arange(len(sums)) * 2 - (len(sums) - 1))
    p = float(sums[excess >= abs(2 * (ww - ll) + (wd - ld))].sum())
    return min(1.0, p)


def _flips(pairs: int) -> Array:
    """Returns the probabilities that 0, 1, …, `pairs` of `pairs` random signs are plus."""
    from scipy.special import gammaln  # slow to load, and not every command needs it

    plus = np.arange(pairs + 1)
    shares: Array = np.exp(
        gammaln(pairs + 1) - gammaln(plus + 1) - gammaln(pairs - plus + 1) - pairs * np.log(2.0)
    )
    return shares


def holm(p: Array) -> Array:
    """Returns the p-values of the upper triangle after Holm's step-down correction, as a symmetric matrix."""
    adjusted = np.full(p.shape, np.nan)
    rows, columns = np.nonzero(np.triu(~np.isnan(p), 1))
    order = np.argsort(p[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    left = np.arange(len(order), 0, -1)
    steps = np.maximum.accumulate(np.minimum(1.0, p[rows, columns] * left))
    adjusted[rows, columns] = adjusted[columns, rows] = steps
    return adjusted


def rank_sets(beats: Array) -> list[tuple[int, int]]:
    """Returns the (best, worst) rank that each agent may have; `beats` (n, n) says who is surely better.

    All ranks hold at once with the probability that no difference is wrong (after Mogstad, Romano, Shaikh &
    Wilhelm 2024, "Inference for ranks").
    """
    above, below = beats.sum(axis=0).tolist(), beats.sum(axis=1).tolist()
    return [(1 + better, len(above) - worse) for better, worse in zip(above, below, strict=True)]


def cycles(results: PairCounts) -> list[tuple[int, int, int]]:
    """Returns triples in which a beats b, b beats c, c beats a, all significant after Holm's correction."""
    sure = holm(p_values(results)) < 1.0 - LEVEL
    beats = sure & (results.matrix > 0.5)
    found = []
    for a, b in zip(*np.nonzero(beats), strict=True):
        third = np.nonzero(beats[b] & beats[:, a])[0]
        # Each cycle is listed once, beginning with its lowest agent.
        found += [(int(a), int(b), int(c)) for c in third if a < b and a < c]
    return sorted(found, key=lambda cycle: (sorted(cycle), cycle))
