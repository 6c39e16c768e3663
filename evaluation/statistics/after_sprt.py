"""Estimates the mean score of a match that a sequential test has ended, adjusted for stopping.

Such a match ends when it looks best or worst, so its plain score is too far from even, and its plain interval
is too narrow. Here outcomes are ordered from the fastest loss to the fastest win ("stage-wise ordering",
Jennison & Turnbull 1999, "Group Sequential Methods", chapter 8). The interval contains all scores under which
the observed outcome is neither among the worst nor among the best. Under the estimate, it is the median. The
test is modelled as a random walk of the sum of scores, between the test's bounds after each pair, with the
observed variance of the pairs.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf, sqrt

import numpy as np

from starspiel.evaluation.statistics.bradley_terry import ELO, fit_model
from starspiel.evaluation.statistics.intervals import LEVEL, Array, PairCounts
from starspiel.evaluation.statistics.ratings import Ratings
from starspiel.evaluation.statistics.sprt import Sprt

#: Number of positions of the walk between the bounds, and maximum number of its steps.
_PLACES, _STEPS = 160, 120
#: Number of mean scores at which the test's log-likelihood ratio is computed.
_MEANS = 41
#: Scores of the five results of a pair.
_SCORES = np.arange(5) / 4.0
#: The mean overshoot of a walk that has crossed a bound, in standard deviations of a step (Siegmund 1985,
#: "Sequential Analysis").
_OVERSHOOT = 0.583


def score_after(test: Sprt, five: tuple[int, ...]) -> tuple[float, float, float]:
    """Returns estimate, low and high of the mean score of a pair, 0 to 1, in the present state of the test.

    The estimate is median-unbiased. Without pairs, the interval is 0 to 1.
    """
    if not sum(five):
        return 0.5, 0.0, 1.0
    worse = _chance_of_worse(test, five)
    tail = (1.0 - LEVEL) / 2.0
    estimate, low, high = (
        _bisected(lambda score, chance=chance: worse(score) > chance, 0.0, 1.0, 14)  # type: ignore[misc]
        for chance in (0.5, 1.0 - tail, tail)
    )
    return estimate, low, high


def ratings_after(test: Sprt, results: PairCounts, ratings: Ratings) -> Ratings:
    """Returns the two agents' ratings, with Elo and its intervals adjusted for stopping like the score.

    The Elo difference is the one at which the rating model expects the adjusted score, given its fitted seat
    advantage and share of draws.
    """
    estimate = fit_model(results.by_seat[None]).estimate[0]
    seats = np.array([1.0, -1.0]) * estimate[2] / 2.0
    draws = np.exp(estimate[3]) if len(estimate) > 3 else 0.0

    def expected(elo: float) -> float:
        half = elo / ELO / 2.0 + seats
        return float(np.mean((np.exp(half) + draws / 2.0) / (np.exp(half) + draws + np.exp(-half))))

    def gap(score: float) -> float:
        if min(score, 1.0 - score) < 1e-4:  # the precision of the search for the score
            return inf if score > 0.5 else -inf
        return _bisected(lambda elo: expected(elo) < score, -20_000.0, 20_000.0, 36)

    first, least, most = map(gap, score_after(test, results.five(0, 1)))
    # The first agent's distance from the zero is this share of the gap, and the second's is the rest.
    share = 0.5 if len(ratings.zero) > 1 else float(ratings.zero[0])
    rest = share - 1.0
    bounds = [(share * least, share * most) if share else (0.0, 0.0)]
    bounds.append((rest * most, rest * least) if rest else (0.0, 0.0))
    low, high = np.array(bounds).T
    return replace(ratings, elo=np.array([share, rest]) * first, low=low, high=high)


def _chance_of_worse(test: Sprt, five: tuple[int, ...]) -> Callable[[float], float]:
    """Returns mean score -> probability of outcomes worse than the observed one, plus half of equal ones."""
    pairs = sum(five)
    # Adds half a pair, spread over all results, because equal results of all pairs do not prove certainty.
    shown = (np.array(five) + 0.1) / (pairs + 0.5)
    means = np.linspace(0.0, 1.0, _MEANS)
    # How much a pair adds to the log-likelihood ratio; the test itself ignores results that did not occur.
    seen = np.maximum(five, 1e-3) / pairs
    fives = [pairs * _with_mean(seen, mean) for mean in means]
    ratios = np.maximum.accumulate([test.llr(each.tolist()) / pairs for each in fives])
    middle = float(np.interp(0.0, ratios, means))
    taken = max(1.0, pairs / _STEPS)
    steps = max(1, round(pairs / taken))
    taken = pairs / steps
    counts: Array = taken * np.arange(1, steps + 1, dtype=np.float64)
    # Bounds on the sum of (score - middle) after each count of pairs; infinite if no sum can reach the bound.
    low, high = (
        counts * (np.interp(bound / counts, ratios, means, left=-inf, right=inf) - middle)
        for bound in test.bounds
    )
    scatter = sqrt(_variance(shown))
    further = _OVERSHOOT * scatter * (1.0 - sqrt(taken))
    low, high = np.minimum(low - further, 0.0), np.maximum(high + further, 0.0)
    margin = 4.0 * scatter * sqrt(taken)
    lowest, highest = np.maximum(low, -middle * counts).min(), np.minimum(high, (1.0 - middle) * counts).max()
    edges = np.linspace(lowest - margin, highest + margin, _PLACES + 1)
    verdict = test.verdict(five)
    reached = pairs * (float(shown @ _SCORES) - middle)

    def chance(score: float) -> float:
        deviation = sqrt(_variance(_with_mean(shown, score)) * taken)
        drift = (score - middle) * taken
        return _walked(edges, drift, deviation, (low, high), verdict, reached)

    return chance


def _walked(
    edges: Array,
    drift: float,
    deviation: float,
    bounds: tuple[Array, Array],
    verdict: str | None,
    reached: float,
) -> float:
    """Returns the probability of an outcome worse than `verdict` with the sum `reached` after the last step.

    `bounds` are (low, high) after each step.
    """
    from scipy.special import ndtr  # slow to load, and not every command needs it

    places = (edges[1:] + edges[:-1]) / 2.0
    width = edges[1] - edges[0]
    below = ndtr((edges[None, :] - places[:, None] - drift) / max(deviation, width / 4.0))
    below[:, 0], below[:, -1] = 0.0, 1.0  # positions farther out are beyond all bounds
    moves = np.diff(below, axis=1)
    there = np.zeros(len(places))
    # The walk starts at 0, between the two nearest places.
    start = np.interp(0.0, places, np.arange(len(places)))
    there[[int(start), int(start) + 1]] = 1.0 - start % 1.0, start % 1.0
    lost = won = 0.0
    lost_now = won_now = there
    for low, high in zip(*bounds, strict=True):
        there = there @ moves
        # If a bound runs through a place, only the share beyond the bound has crossed it.
        lost_now = there * np.clip((low - edges[:-1]) / width, 0.0, 1.0)
        won_now = there * np.clip((edges[1:] - high) / width, 0.0, 1.0)
        there = there - lost_now - won_now
        lost, won = lost + float(lost_now.sum()), won + float(won_now.sum())
    # Outcomes of the last step are ordered by the sum of scores.
    before, last = lost, there
    if verdict == "lower":
        before, last = lost - float(lost_now.sum()), lost_now
    elif verdict == "upper":
        before, last = 1.0 - won, won_now
    return float(before + np.interp(reached, edges[1:], np.cumsum(last)))


def _with_mean(shares: Array, mean: float) -> Array:
    """Returns the shares with this mean score that are nearest to the given ones, by exponential tilting."""
    if mean <= 0.0 or mean >= 1.0:
        return np.array(mean == _SCORES, np.float64)

    def tilted(slope: float) -> Array:
        logs = np.log(shares) + slope * _SCORES
        weights = np.exp(logs - logs.max())
        scaled: Array = weights / weights.sum()
        return scaled

    return tilted(_bisected(lambda slope: float(tilted(slope) @ _SCORES) < mean, -200.0, 200.0, 40))


def _variance(shares: Array) -> float:
    return float(shares @ (_SCORES - shares @ _SCORES) ** 2)


def _bisected(is_short: Callable[[float], bool], low: float, high: float, steps: int) -> float:
    """Returns the value at which `is_short` changes from true to false, by bisection."""
    for _ in range(steps):
        middle = (low + high) / 2.0
        low, high = (middle, high) if is_short(middle) else (low, middle)
    return (low + high) / 2.0
