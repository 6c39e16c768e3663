"""Computes intervals for mean scores between 0 and 1, which stay within these bounds."""

from collections.abc import Sequence
from math import nan

import numpy as np

from starspiel.evaluation.statistics.intervals import LEVEL, SCORES, Array, PairCounts

_PAIR_SCORES = np.add.outer(SCORES, SCORES) / 2.0
#: Prior for a pair's variance: this many pairs of independent games with the same mean score.
_PRIOR_PAIRS = 4.0


def matrix_interval(results: PairCounts) -> tuple[Array, Array]:
    """Returns (..., n, n) twice: low and high of the 95 % interval of `results.matrix`; NaN if never met."""
    pairs = results.pairs
    scatter, plain, expected = _scatter(results)
    ratio = (scatter + _PRIOR_PAIRS * expected) / (plain + _PRIOR_PAIRS * expected)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _wilson(results.matrix, ratio * expected / pairs, 2.0 * pairs)


def score_interval(results: PairCounts) -> tuple[Array, Array]:
    """Returns (..., n) twice: low and high of the 95 % interval of each mean score; NaN without games."""
    pairs = results.pairs
    met = (pairs > 0).sum(axis=-1, keepdims=True)
    scatter, plain, expected = _scatter(results, 1.0 / np.maximum(met, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        total = pairs.sum(axis=-1)
        prior = _PRIOR_PAIRS * (pairs * expected).sum(axis=-1) / total
        ratio = (scatter.sum(axis=-1) + prior) / (plain.sum(axis=-1) + prior)
        variance = ratio * (pairs * expected).sum(axis=-1) / total**2
        mean = results.points.sum(axis=-1) / (2.0 * total)
        return _wilson(mean, variance, 2.0 * total)


def share_interval(values: Sequence[float], games: float) -> tuple[float, float, float]:
    """Returns mean, low and high of shares between 0 and 1, each a mean of `games` games; NaN without any.

    It works like `matrix_interval`, with blocks of this many games instead of pairs.
    """
    data, blocks = np.asarray(values, dtype=np.float64), len(values)
    if not blocks:
        return nan, nan, nan
    mean, total = float(data.mean()), games * blocks
    smoothed = (total * mean + 0.5) / (total + 1.0)
    expected = smoothed * (1.0 - smoothed) / games
    scatter = float(((data - mean) ** 2).sum()) * blocks / max(blocks - 1, 1)
    plain = mean * (1.0 - mean) * blocks**2 / max(total - 1, 1) * (blocks > 1)
    ratio = (scatter + _PRIOR_PAIRS * expected) / (plain + _PRIOR_PAIRS * expected)
    low, high = _wilson(np.array(mean), np.array(ratio * expected / blocks), np.array(float(total)))
    return mean, float(low), float(high)


def _scatter(results: PairCounts, added: Array | float = 1.0) -> tuple[Array, Array, Array]:
    """Returns (..., n, n) each: scatter of pairs, scatter of independent games, expected variance of a pair.

    The first two are sums of squared distances of the pairs' scores from their meeting's mean; a single pair
    contributes to neither. For the third, `added` times half a win and half a loss is added to each meeting,
    so that it is never 0. An agent's meetings share one such addition: with one each, one-sided meetings
    would look open.
    """
    pairs, mean = results.pairs, np.nan_to_num(results.matrix)
    squares = (results.counts * (_PAIR_SCORES - mean[..., None, None]) ** 2).sum(axis=(-1, -2))
    squares = squares + np.swapaxes(squares, -1, -2)
    games = 2.0 * pairs + added
    smoothed = (results.points + 0.5 * added) / games
    # Distances from the mean of the same games are too short, by the share of one pair or one game.
    return (
        squares * pairs / np.maximum(pairs - 1.0, 1.0),
        mean * (1.0 - mean) * pairs**2 / np.maximum(2.0 * pairs - 1.0, 1.0) * (pairs > 1.0),
        smoothed * (1.0 - smoothed) / 2.0 * (1.0 + (1.0 - added) / np.maximum(games - 1.0, 1.0)),
    )


def _wilson(mean: Array, variance: Array, games: Array) -> tuple[Array, Array]:
    """Returns Wilson's interval for as many independent games as have this variance, by Student's quantile.

    It follows Dean & Pagano 2015, "Evaluating confidence interval methods for binomial proportions in
    clustered surveys". Near 0 and 1, each end is at least as far out as the share under which a result as
    extreme has a probability of 5 %, after Brown, Cai & DasGupta 2001. If all games were won, the upper end
    is 1.
    """
    from scipy.special import betaincinv, stdtrit  # slow to load, and not every command needs it

    with np.errstate(invalid="ignore", divide="ignore"):
        inside = (games * mean + 0.5) / (games + 1.0)
        effective = inside * (1.0 - inside) / variance
        square = stdtrit(np.maximum(games, 1.0), 0.5 + LEVEL / 2.0) ** 2
        centre = (mean + square / (2.0 * effective)) / (1.0 + square / effective)
        half = np.sqrt(square * (mean * (1.0 - mean) / effective + square / (4.0 * effective**2)))
        half = half / (1.0 + square / effective)
        won, lost = mean * effective, (1.0 - mean) * effective
        low = np.minimum(np.maximum(centre - half, 0.0), betaincinv(won, lost + 1.0, 1.0 - LEVEL))
        high = np.maximum(np.minimum(centre + half, 1.0), betaincinv(won + 1.0, lost, LEVEL))
    return np.where(mean == 0.0, 0.0, low), np.where(mean == 1.0, 1.0, high)
