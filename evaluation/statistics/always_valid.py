"""Computes always-valid p-values and intervals, which hold at any number of looks.

A player starts with one unit and bets on every pair, at odds that are fair if the mean score of a pair is m.
Whatever the bets, its capital exceeds 1/α at some time with probability at most α (Ville's inequality). The
inverse of the capital is therefore a p-value, and the m at which it has not reached 1/α form an interval
("Estimating means of bounded random variables by betting", Waudby-Smith & Ramdas 2024). The stakes are a
mixture fixed beforehand, so that the capital depends on the five counts, and not on their order.

Returns of one-player games have no bounds within which to bet. The p of their mean difference is the inverse
of a t-test's Bayes factor, with a normal distribution of effects; simulations show how often it errs.
"""

from collections.abc import Sequence
from math import exp, isnan, log1p

import numpy as np

from starspiel.evaluation.statistics.intervals import LEVEL, Array
from starspiel.evaluation.statistics.means import Values, bent_t, skewness

#: The beginning of sentences that state always-valid results.
OPENING = "Whenever you stop"

_SCORES = np.arange(5) / 4.0
#: Stakes on one pair, as shares of the maximum stake. Some stake detects each difference from 2 to 400 Elo.
_STAKES = np.geomspace(0.004, 0.95, 24)
#: Prior variance of the mean difference, in variances of a difference: smaller ones resist skew better.
_EFFECT = 0.01
#: A p below 1 needs at least `_FEWEST` differences, and `_PER_SKEWNESS` times their squared skewness.
_FEWEST, _PER_SKEWNESS = 50, 24.0


def log_capital(five: Sequence[float], mean: float | Array) -> Array:
    """Returns the logarithm of the capital after betting one unit against "the mean score is `mean`".

    Half of the stakes are on a higher mean, half on a lower one. The result has the shape of `mean`.
    """
    counts, null = np.asarray(five, dtype=np.float64), np.asarray(mean, dtype=np.float64)[..., None]
    gain = _SCORES - null
    grown = []
    for most in (1.0 / np.maximum(null, 1e-12), -1.0 / np.maximum(1.0 - null, 1e-12)):
        growth = np.log1p(_STAKES[:, None] * (most * gain)[..., None, :])
        grown.append((counts * growth).sum(axis=-1))
    together = np.logaddexp.reduce(np.concatenate(grown, axis=-1), axis=-1)
    capital: Array = together - np.log(2.0 * _STAKES.size)
    return capital


def always_valid_p(five: Sequence[float]) -> float:
    """Returns the two-sided p of "both agents score the same"."""
    return min(1.0, float(np.exp(-log_capital(five, 0.5))))


def always_valid_interval(five: Sequence[float]) -> tuple[float, float]:
    """Returns low and high of the mean score of a pair, 0 to 1: 95 % hold the truth at all times."""
    limit, pairs = -float(np.log(1.0 - LEVEL)), sum(five)
    if not pairs:
        return 0.0, 1.0
    mean = float(np.dot(five, _SCORES)) / pairs
    return _end(five, mean, 0.0, limit), _end(five, mean, 1.0, limit)


def always_valid_mean_p(values: Values) -> float:
    """Returns the two-sided p of "the mean is 0".

    If it is computed after every 10 values up to 1,000 and the mean is 0, it falls below 5 % in 1 to 2 % of
    4,000 cases for values that are normal, lognormal (σ up to 1) or of few kinds, and in 2 to 4 % with
    σ = 1.5 and 2. It is not valid if the values that decide the mean are too rare: 34 % with values of 19 in
    one of 50 cases, and else -1 or 0.
    """
    t, size = bent_t(values), len(values)
    if isnan(t) or size < max(_FEWEST, _PER_SKEWNESS * skewness(values) ** 2):
        return 1.0
    freedom, spread = size - 1, 1.0 + size * _EFFECT
    apart = log1p(t**2 / freedom) - log1p(t**2 / freedom / spread)
    return min(1.0, exp(-(size * apart - log1p(size * _EFFECT)) / 2.0))


def in_words(five: Sequence[float], agent: str) -> str:
    """Returns a sentence with p-value and interval of the score of the meeting's first agent, `agent`."""
    low, high = always_valid_interval(five)
    return f"{OPENING}: p {always_valid_p(five):.3g}, score of {agent} {100 * low:.0f} to {100 * high:.0f} %."


def _end(five: Sequence[float], inside: float, outside: float, limit: float) -> float:
    """Returns where bets reach the limit, between a mean that is not refuted and one that may be."""
    for _ in range(4):
        grid = np.linspace(inside, outside, 33)
        refuted = log_capital(five, grid) >= limit
        if not refuted.any():
            return outside
        first = max(int(np.argmax(refuted)), 1)
        inside, outside = float(grid[first - 1]), float(grid[first])
    return outside
