"""How far the fitted ratings may be off: over pairs, and more to one side than to the other."""

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

#: Meetings of so many even pairs count their own scatter as much as what the model expects of it; one-sided
#: ones, whose scatter is that of a few events, take more.
_OWN_SCATTER = 40.0
#: So many pairs in which the games were independent go into the estimate of their correlation.
_PRIOR_PAIRS = 4.0
#: The events that an interval rests on are no fewer than this, and no more than make no difference.
_EVENTS = (0.75, 1e6)


def covariance(found: Fit, counts: Array) -> Array:
    """(batch, parameters, parameters): of the estimate, from pair counts of shape (batch, n, n, 3, 3).

    A sandwich estimate with pairs, whose games share their dice, as clusters (Liang & Zeger 1986). What is
    between is each meeting's own scatter once it has many pairs, and with few the model's, with one
    correlation of a pair's games for all meetings.
    """
    results = np.ascontiguousarray(np.moveaxis(counts, (-2, -1), (0, 1)))
    pairs = results.sum(axis=(0, 1))
    # Both games from i's side: in the second, i's result is the mirror of seat 0's.
    first, second = found.shares, mirrored(found.shares)
    means = [shares[1] / 2.0 + shares[2] for shares in (first, second)]
    one, other = (column(SCORES) - mean for mean in means)
    common = pairs * np.sqrt((first * one**2).sum(axis=0) * (second * other**2).sum(axis=0))
    seen = sum(results[x, y] * one[x] * other[y] for x in range(3) for y in range(3))
    total = pairs.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.nan_to_num(
            np.sum(seen, axis=(1, 2)) / common.sum(axis=(1, 2)) * total / (total + _PRIOR_PAIRS)
        )
    correlation = np.clip(correlation, -0.95, 0.95)

    # By θ_i - θ_j, by s and by δ: the score of a pair is the sum of those of its games, of which the second
    # has j in seat 0.
    even = 4.0 * common
    own = even / (even + _OWN_SCATTER)
    modelled = (1.0 - own) * pairs
    strength_1, strength_2 = found.by_strength, mirrored(found.by_strength)
    draw_1, draw_2 = found.by_draw, mirrored(found.by_draw)
    # Of each result of every meeting: how much it weighs, and its score by θ_i - θ_j, by s and by δ.
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

    # A pair's games agree on i's strength, and disagree on the seat's.
    crossed = 2.0 * correlation[:, None, None] * (1.0 - own) * common
    inner = assembled(summed(1, 1) + crossed, summed(1, 2), summed(2, 2) - crossed)
    if found.drawn:
        inner = bordered(inner, summed(1, 3), summed(2, 3), summed(3, 3))
    outer: Array = found.inverse @ inner @ found.inverse
    return outer


def skewness(found: Fit, games: Array, contrasts: Array) -> Array:
    """(batch, contrasts): how many standard errors' worth the likelihood is steeper below each contrast.

    The third derivative of the negative log-likelihood in standard errors: 1 / √n for the logarithm of a rate
    of which n events were seen, and 0 between equals. `games` is (batch, n, n), and `contrasts` (contrasts,
    parameters).
    """
    agents = found.shares.shape[-1]
    directions = np.swapaxes(found.inverse @ contrasts.T, 1, 2)
    variance = (contrasts * directions).sum(axis=2)
    # A result moves the log-likelihood by its score times (first - second), and by the draw's.
    second, of_draw = directions[:, :, :agents], directions[:, :, agents + 1 :].sum(axis=2)
    first = second + directions[:, :, agents, None]
    strength, draw = found.by_strength, found.by_draw

    def total(cumulant: Array, power: int) -> Array:
        """(batch, contrasts): the sum over meetings of a number times (first - second) to a power."""
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
    """How many standard errors an interval extends below and above an estimate of such `skewness`.

    As many as the exact interval of the logarithm of a rate: of an agent that has won one game of a hundred
    little is known of how much weaker it may be, and more of how strong it can be at most.
    """
    from scipy.special import gammaincinv  # slow to load, and not every command needs it

    tail = (1.0 - LEVEL) / 2.0
    events = np.clip(1.0 / np.maximum(skewed**2, 1e-12), *_EVENTS)
    scale = np.sqrt(events)
    long = scale * np.log(events / gammaincinv(events - 0.5, tail))
    short = scale * np.log(gammaincinv(events + 0.5, 1.0 - tail) / events)
    return np.where(skewed > 0.0, long, short), np.where(skewed > 0.0, short, long)
