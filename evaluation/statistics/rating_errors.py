"""Computes the errors of fitted ratings: their covariance over pairs, and asymmetric intervals."""

from itertools import product
from math import comb

import numpy as np

from starspiel.evaluation.statistics.bradley_terry import (
    Fit,
    assembled,
    bordered,
    column,
    mirrored,
)
from starspiel.evaluation.statistics.intervals import LEVEL, SCORES, Array

#: In meetings with this many even pairs, observed variance and the model's variance have equal weight.
#: One-sided meetings, whose variance comes from few events, need more pairs.
_OWN_SCATTER = 40.0
#: Prior for the correlation of a pair's games: this many pairs of independent games.
_PRIOR_PAIRS = 4.0
#: The minimum and maximum number of events that an interval is based on; more make no difference.
_EVENTS = (0.75, 1e6)


def covariance(found: Fit, counts: Array) -> Array:
    """Returns the covariance of the estimate, (batch, parameters, parameters).

    `counts` are pair counts of shape (batch, n, n, 3, 3). It is a sandwich estimate with pairs, whose games
    share their dice, as clusters (Liang & Zeger 1986). The middle matrix is each meeting's observed variance
    if it has many pairs, and the model's if few, with one correlation of a pair's games for all meetings.
    """
    results = np.ascontiguousarray(np.moveaxis(counts, (-2, -1), (0, 1)))
    pairs = results.sum(axis=(0, 1))
    # Both games from i's perspective: in the second, i's result is the mirror of seat 0's.
    first, second = found.shares, mirrored(found.shares)
    means = [shares[1] / 2.0 + shares[2] for shares in (first, second)]
    one, other = (column(SCORES) - mean for mean in means)
    deviation_1, deviation_2 = (np.sqrt((p * z**2).sum(axis=0)) for p, z in ((first, one), (second, other)))
    common = pairs * deviation_1 * deviation_2
    seen = sum(results[x, y] * one[x] * other[y] for x in range(3) for y in range(3))
    total = pairs.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.nan_to_num(
            np.sum(seen, axis=(1, 2)) / common.sum(axis=(1, 2)) * total / (total + _PRIOR_PAIRS)
        )
    correlation = np.clip(correlation, -0.95, 0.95)

    # The score of a pair (by θ_i - θ_j, by s and by δ) is the sum of those of its games, of which the second
    # has j in seat 0.
    even = 4.0 * common
    own = even / (even + _OWN_SCATTER)
    modelled = (1.0 - own) * pairs
    strength_1, strength_2 = found.by_strength, mirrored(found.by_strength)
    draw_1, draw_2 = found.by_draw, mirrored(found.by_draw)
    # For each result of every meeting: its weight, and its score by θ_i - θ_j, by s and by δ.
    parts = [(modelled * first[x], strength_1[x], strength_1[x], draw_1[x]) for x in range(3)]
    parts += [(modelled * second[y], -strength_2[y], strength_2[y], draw_2[y]) for y in range(3)]
    for x, y in product(range(3), repeat=2):
        gap, seat = strength_1[x] - strength_2[y], strength_1[x] + strength_2[y]
        parts.append((own * results[x, y], gap, seat, draw_1[x] + draw_2[y]))

    def summed(one: int, other: int) -> Array:
        sums: Array = np.zeros_like(pairs)
        for part in parts:
            sums += part[0] * part[one] * part[other]
        return sums

    # In the model, results x and y of a pair's games have the probability p(x) p(y) (1 + ρ z(x) z(y)), with z
    # the standardised points (Sarmanov 1966): their scores are correlated as far as they follow the points.
    along_1 = first * one / np.maximum(deviation_1, 1e-100)
    along_2 = second * other / np.maximum(deviation_2, 1e-100)
    of_first = [(along_1 * by).sum(axis=0) for by in (strength_1, strength_1, draw_1)]
    of_second = [(along_2 * by).sum(axis=0) for by in (-strength_2, strength_2, draw_2)]
    weight = correlation[:, None, None] * modelled

    def entry(i: int, j: int) -> Array:
        crossed = of_first[i - 1] * of_second[j - 1] + of_second[i - 1] * of_first[j - 1]
        return np.asarray(summed(i, j) + weight * crossed)

    inner = assembled(entry(1, 1), entry(1, 2), entry(2, 2))
    if found.drawn:
        inner = bordered(inner, entry(1, 3), entry(2, 3), entry(3, 3))
    outer: Array = found.inverse @ inner @ found.inverse
    return outer


def skewness(found: Fit, games: Array, contrasts: Array) -> Array:
    """Returns (batch, contrasts): the asymmetry of the likelihood about each contrast, in standard errors.

    It is the third derivative of the negative log-likelihood in standard errors: 1 / √n for the logarithm of
    a rate with n observed events, and 0 between equals. `games` is (batch, n, n), and `contrasts` (contrasts,
    parameters).
    """
    agents = found.shares.shape[-1]
    directions = np.swapaxes(found.inverse @ contrasts.T, 1, 2)
    variance = (contrasts * directions).sum(axis=2)
    # A result changes the log-likelihood by its score times (first - second), and by the draw term's.
    second, of_draw = directions[:, :, :agents], directions[:, :, agents + 1 :].sum(axis=2)
    first = second + directions[:, :, agents, None]
    strength, draw = found.by_strength, found.by_draw

    def total(cumulant: Array, power: int) -> Array:
        """Returns (batch, contrasts): the sum over meetings of `cumulant` times (first - second) ** power."""
        sums: Array = np.zeros(variance.shape)
        for lower in range(power + 1):
            parts = first ** (power - lower) @ (games * cumulant) * (-second) ** lower
            sums += comb(power, lower) * parts.sum(axis=2)
        return sums

    third = sum(
        comb(3, power)
        * of_draw ** (3 - power)
        * total((found.shares * strength**power * draw ** (3 - power)).sum(axis=0), power)
        for power in range(4)
    )
    skewed: Array = third / np.maximum(variance, 1e-100) ** 1.5
    return skewed


def reach(skewed: Array) -> tuple[Array, Array]:
    """Returns how many standard errors an interval extends below and above an estimate of this `skewness`.

    They are those of the exact interval of the logarithm of a rate: if an agent won one game of a hundred,
    its strength is bounded well from above, but poorly from below.
    """
    from scipy.special import gammaincinv  # slow to load, and not every command needs it

    tail = (1.0 - LEVEL) / 2.0
    events = np.clip(1.0 / np.maximum(skewed**2, 1e-12), *_EVENTS)
    scale = np.sqrt(events)
    long = scale * np.log(events / gammaincinv(events - 0.5, tail))
    short = scale * np.log(gammaincinv(events + 0.5, 1.0 - tail) / events)
    return np.where(skewed > 0.0, long, short), np.where(skewed > 0.0, short, long)
