"""Computes Elo ratings with intervals, by fitting `bradley_terry` to pairs, and tests the model's fit."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.means import quantile
from starspiel.evaluation.statistics.bradley_terry import ELO, fit_model
from starspiel.evaluation.statistics.intervals import Array, PairCounts
from starspiel.evaluation.statistics.rating_errors import covariance, reach, skewness

#: Maximum number of matrix entries that are processed together: more would not fit the processor's cache.
_TOGETHER = 40_000
#: More points than this against an agent bound a difference well.
_WELL = 2.0


@dataclass(frozen=True)
class Ratings:
    """Elo of each agent with 95 % intervals.

    Attributes:
        elo, low, high: one entry per agent; NaN for agents that have not played. `high` or `low` is infinite
            if no result bounds how much better or worse than the zero an agent is.
        seat_advantage: (estimate, low, high) in Elo of seat 0 against an equal opponent.
        covariance: (n, n) covariance of `elo`, over pairs.
        freedom: degrees of freedom of Student's quantile in the intervals: two per pair; with
            blocks, one less than their number.
        zero: indices of the agents whose mean rating is 0.
    """

    elo: Array
    low: Array
    high: Array
    seat_advantage: tuple[float, float, float]
    covariance: Array
    freedom: float
    zero: tuple[int, ...]


def rate(results: PairCounts, *, anchor: int | None = None) -> Ratings:
    """Returns ratings of all agents that played, with intervals by Student's t over pairs.

    Elo 0 is the agent `anchor`. By default it is the mean of the largest group of agents whose differences
    are bounded from both sides: the whole field, unless an agent won or lost all its games.
    """
    pairs = results.pairs.sum(axis=-1)
    zero = largest_group(results.points, pairs) if anchor is None else (anchor,)
    return rate_all(PairCounts(results.counts[None]), zero)[0]


def rate_all(results: PairCounts, zero: Sequence[int]) -> list[Ratings]:
    """Returns ratings of a batch of tournaments of equally many agents; 0 is the mean of agents `zero`."""
    drawn = bool(results.counts[..., 1, :].any() or results.counts[..., :, 1].any())
    size = max(1, _TOGETHER // max(results.agents, 1) ** 2)
    return [
        ratings
        for start in range(0, len(results.counts), size)
        for ratings in _rate_all(PairCounts(results.counts[start : start + size]), zero, drawn)
    ]


def _rate_all(results: PairCounts, zero: Sequence[int], drawn: bool) -> list[Ratings]:
    found = fit_model(results.by_seat, drawn=drawn)
    # Each agent's distance from the zero, followed by the seat advantage.
    contrasts = np.eye(results.agents + 1, found.estimate.shape[1])
    contrasts[:-1, list(zero)] -= 1.0 / len(zero)
    estimate = found.estimate @ contrasts.T * ELO
    spread = contrasts @ covariance(found, results.counts) @ contrasts.T * ELO**2
    pairs = results.pairs.sum(axis=-1)
    student = np.array([quantile(total) if total else np.nan for total in pairs.sum(axis=-1)])
    errors = np.sqrt(np.maximum(np.diagonal(spread, axis1=1, axis2=2), 0.0))
    below, above = reach(skewness(found, results.by_seat.sum(axis=-1), contrasts))
    scale = (student / quantile(np.inf))[:, None] * errors
    low, high = estimate - scale * below, estimate + scale * above
    seat = zip(estimate[:, -1].tolist(), low[:, -1].tolist(), high[:, -1].tolist(), strict=True)
    low, high = opened(low[:, :-1], high[:, :-1], results.points, zero)
    elo, low, high = (np.where(pairs > 0, each, np.nan) for each in (estimate[:, :-1], low, high))
    return [
        Ratings(*own, spread[place, :-1, :-1], float(pairs[place].sum()), tuple(zero))
        for place, own in enumerate(zip(elo, low, high, seat, strict=True))
    ]


def opened(low: Array, high: Array, points: Array, zero: Sequence[int]) -> tuple[Array, Array]:
    """Returns the (…, n) ends of intervals, infinite if no `points`, (…, n, n), bound the distance from 0.

    A difference is bounded if the lower agent has scored against the higher, or against an agent that has,
    and so on. Otherwise the higher agent could be better by any amount (Ford 1957).
    """
    reached = _closure(points > 0.0)
    return (
        np.where(reached[..., list(zero)].all(axis=-1), low, -np.inf),
        np.where(reached[..., list(zero), :].all(axis=-2), high, np.inf),
    )


def largest_group(points: Array, pairs: Array) -> tuple[int, ...]:
    """Returns the largest group of agents, or of several that with most pairs, with well bounded differences.

    Points against each other, (n, n), count directly and by way of a third agent: a single win is not enough
    for an agent that lost all other games. If no two agents form a group, a single point is enough. If there
    is still none, the group is one agent: of those with most `pairs`, the one nearest to half of its points.
    Two agents are always a group.
    """
    uneven = np.abs(points.sum(axis=1) - points.sum(axis=0)) / np.maximum(pairs, 1)
    scored = points + np.minimum(points[:, :, None], points[None, :, :]).sum(axis=1)
    for least in (_WELL, 0.0):
        groups = np.unique(_closure((scored > least) & (least < scored.T)), axis=0)
        group = max(groups, key=lambda group: (group.sum(), pairs[group].sum(), -uneven[group].mean()))
        if group.sum() > 1:
            break
    if (pairs > 0).sum() == 2:
        group = pairs > 0
    return tuple(np.nonzero(group)[0].tolist())


def _closure(related: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Returns the reflexive and transitive closure of a relation, (..., n, n)."""
    related = related | np.eye(related.shape[-1], dtype=bool)
    for _ in range(related.shape[-1].bit_length()):
        related = related @ related
    return related


@dataclass(frozen=True)
class FitTest:
    """A test of whether one number per agent, a seat term and a draw term describe the results.

    Attributes:
        deviance: twice the log-likelihood lost against a model with a number for every meeting and seating.
        freedom: degrees of freedom.
        p: the probability of such a deviance or more if the model holds; approximate, as pairs share dice.
    """

    deviance: float
    freedom: int
    p: float


def fit_test(results: PairCounts, ratings: Ratings) -> FitTest | None:
    """Returns the likelihood-ratio test of the rating model; None if it has no degrees of freedom."""
    from scipy.special import chdtrc  # slow to load, and only the page needs it

    by_seat = results.by_seat
    rows, columns = np.nonzero(by_seat.sum(axis=-1))
    counts = by_seat[rows, columns]
    drawn = bool(counts[:, 1].any())
    agents = int((results.pairs.sum(axis=-1) > 0).sum())
    freedom = len(rows) * (2 if drawn else 1) - (agents - 1) - 1 - int(drawn)
    if freedom < 1:
        return None
    theta, seat = ratings.elo / ELO, ratings.seat_advantage[0] / ELO
    games, draws = counts.sum(), counts[:, 1].sum()
    expected = counts
    # The draw term is re-estimated here, so that the expected number of draws is the observed one.
    delta, low, high = 0.0, -30.0, 30.0
    for _ in range(100):
        logits = np.stack(
            [theta[columns] - seat / 2, delta + (theta[rows] + theta[columns]) / 2, theta[rows] + seat / 2],
            axis=1,
        )
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        expected = counts.sum(axis=1, keepdims=True) * shares
        low, high = (delta, high) if expected[:, 1].sum() < draws else (low, delta)
        delta = (low + high) / 2
        if high - low < 1e-9 * games:
            break
    seen = counts > 0
    deviance = float(2.0 * (counts[seen] * np.log(counts[seen] / expected[seen])).sum())
    return FitTest(deviance, freedom, float(chdtrc(freedom, max(deviance, 0.0))))
