"""What a match that the sequential test has ended says of its mean score.

Such a match ends when it looks best or worst, so its plain score is too far from even, and its plain interval
too narrow. Here outcomes are ordered from the fastest loss to the fastest win ("stage-wise ordering",
Jennison & Turnbull 1999, "Group Sequential Methods", chapter 8). The interval has all scores under which what
happened is neither among the worst nor among the best; under the estimate it is the median. The test is a
random walk between its bounds, with the scatter that the pairs have shown.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf, sqrt

import numpy as np

from starspiel.evaluation.statistics.bradley_terry import ELO, fit_model
from starspiel.evaluation.statistics.intervals import LEVEL, Array, PairCounts
from starspiel.evaluation.statistics.ratings import Ratings
from starspiel.evaluation.statistics.sprt import NELO, Sprt

#: The walk has so many places between the bounds, and so many steps, if there are as many pairs.
_PLACES, _STEPS = 120, 120
#: How far a walk is beyond a bound on average when it is found there, in standard deviations of a step
#: (Siegmund 1985, "Sequential Analysis").
_OVERSHOOT = 0.583


def score_after(test: Sprt, five: tuple[int, ...]) -> tuple[float, float, float]:
    """Estimate, low and high of the mean score of a pair, 0 to 1, as the test stands; before a pair anything.

    The estimate is as likely too high as too low.
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
    """`ratings` of the two agents, with Elo and its interval adjusted for stopping as the score is.

    The difference of the two is the one at which the rating model, with the seat advantage and the share of
    draws that it was fitted with, expects the adjusted score.
    """
    estimate = fit_model(results.by_seat[None]).estimate[0]
    seats = np.array([1.0, -1.0]) * estimate[2] / 2.0
    draws = np.exp(estimate[3]) if len(estimate) > 3 else 0.0

    def expected(elo: float) -> float:
        half = elo / ELO / 2.0 + seats
        return float(np.mean((np.exp(half) + draws / 2.0) / (np.exp(half) + draws + np.exp(-half))))

    def gap(score: float) -> float:
        if min(score, 1.0 - score) < 1e-4:  # as near to the end as the score is searched
            return inf if score > 0.5 else -inf
        return _bisected(lambda elo: expected(elo) < score, -20_000.0, 20_000.0, 36)

    first, least, most = map(gap, score_after(test, results.five(0, 1)))
    # The first agent's distance from the zero is so much of the gap, and the second's the rest of it.
    share = 0.5 if len(ratings.zero) > 1 else float(ratings.zero[0])
    rest = share - 1.0
    bounds = [(share * least, share * most) if share else (0.0, 0.0)]
    bounds.append((rest * most, rest * least) if rest else (0.0, 0.0))
    low, high = np.array(bounds).T
    return replace(ratings, elo=np.array([share, rest]) * first, low=low, high=high)


def _chance_of_worse(test: Sprt, five: tuple[int, ...]) -> Callable[[float], float]:
    """The probability of an outcome worse than this (with half of those just like it), by the mean score."""
    pairs = sum(five)
    # Half a pair, spread over all results: pairs that were all alike are no certainty.
    shares = (np.array(five) + 0.1) / (pairs + 0.5)
    scores = np.arange(5) / 4.0
    variance = float(shares @ (scores - shares @ scores) ** 2)
    null, other = (_score(test, elo, sqrt(variance)) for elo in (test.lower, test.upper))
    # Of the log-likelihood ratio, a pair: variance, and mean by the pairs' mean score.
    noise = (other - null) ** 2 / variance
    low, high = test.bounds
    taken = max(pairs / _STEPS, (3.0 * (high - low) / _PLACES) ** 2 / noise)
    steps = max(1, round(pairs / min(taken, pairs)))
    taken = pairs / steps
    further = _OVERSHOOT * (sqrt(noise) - sqrt(noise * taken))
    edges = np.linspace(low - further, high + further, _PLACES + 1)
    verdict, reached = test.verdict(five), test.llr(five)

    def chance(score: float) -> float:
        drift = (other - null) * (2.0 * score - null - other) / (2.0 * variance)
        return _walked(edges, drift * taken, sqrt(noise * taken), steps, verdict, reached)

    return chance


def _walked(
    edges: Array, drift: float, deviation: float, steps: int, verdict: str | None, reached: float
) -> float:
    """The chance of a worse outcome than this verdict after so many steps, or than being there by then."""
    from scipy.special import ndtr  # slow to load, and not every command needs it

    places = (edges[1:] + edges[:-1]) / 2.0
    below = ndtr((edges[None, :] - places[:, None] - drift) / deviation)
    moves, down, up = np.diff(below, axis=1), below[:, 0], 1.0 - below[:, -1]
    there = np.zeros(len(places))
    # Nothing is known yet: between the two places next to 0.
    start = np.interp(0.0, places, np.arange(len(places)))
    there[[int(start), int(start) + 1]] = 1.0 - start % 1.0, start % 1.0
    lost = won = lost_now = won_now = 0.0
    for _ in range(steps):
        lost_now, won_now = float(there @ down), float(there @ up)
        lost, won = lost + lost_now, won + won_now
        there = there @ moves
    if verdict == "lower":
        return float(lost - 0.5 * lost_now)
    if verdict == "upper":
        return float(1.0 - won + 0.5 * won_now)
    return float(lost + np.interp(reached, edges[1:], np.cumsum(there)))


def _score(test: Sprt, elo: float, deviation: float) -> float:
    """The mean score of a pair under a hypothesis."""
    if test.normalized:
        return 0.5 + sqrt(2.0) * elo / NELO * deviation
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


def _bisected(is_short: Callable[[float], bool], low: float, high: float, steps: int) -> float:
    """The value from which on it is no longer short."""
    for _ in range(steps):
        middle = (low + high) / 2.0
        low, high = (middle, high) if is_short(middle) else (low, middle)
    return (low + high) / 2.0
