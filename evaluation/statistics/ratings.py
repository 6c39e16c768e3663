"""Elo ratings with intervals: `bradley_terry` fitted to pairs, and whether it describes them at all."""

from dataclasses import dataclass

import numpy as np

from starspiel.agents.means import quantile
from starspiel.evaluation.statistics.bradley_terry import ELO, fit_pairs
from starspiel.evaluation.statistics.intervals import Array, PairCounts


@dataclass(frozen=True)
class Ratings:
    """Elo of each agent with 95 % intervals.

    Attributes:
        elo, low, high: one entry an agent; NaN for agents that have not played. Who won or lost everything
            has an infinite `high` or `low`, for nothing says how much better or worse it is.
        seat_advantage: (estimate, low, high) in Elo of having seat 0 against an equal.
        covariance: (n, n) of `elo`, over pairs.
        freedom: degrees of freedom of Student's quantile in the intervals: two a pair.
        anchor: index of the agent whose rating is 0, or None where the mean of the field is.
    """

    elo: Array
    low: Array
    high: Array
    seat_advantage: tuple[float, float, float]
    covariance: Array
    freedom: float
    anchor: int | None


def rate(results: PairCounts, *, anchor: int | None = None) -> Ratings:
    """Ratings of everyone who played, with intervals by Student's t over pairs."""
    [ratings] = rate_all(PairCounts(results.counts[None]), anchor=anchor)
    return ratings


def rate_all(results: PairCounts, *, anchor: int | None = None) -> list[Ratings]:
    """The same for a batch of tournaments between as many agents, in one go."""
    estimate, covariance = fit_pairs(results)
    agents = results.agents
    contrast = np.eye(agents, estimate.shape[1])
    contrast[:, :agents] -= 1.0 / agents if anchor is None else np.eye(agents)[anchor]
    elo = estimate @ contrast.T
    spread = contrast @ covariance @ contrast.T
    pairs, points = results.pairs, results.points.sum(axis=-1)
    found = []
    for tournament, own in enumerate(elo):
        total = float(pairs[tournament].sum()) / 2.0
        student = quantile(2.0 * total) if total else np.nan
        margin = student * np.sqrt(np.maximum(np.diag(spread[tournament]), 0.0))
        low, high = own - margin, own + margin
        _open_ends(low, high, points[tournament], 2.0 * pairs[tournament].sum(axis=-1), anchor)
        unplayed = pairs[tournament].sum(axis=-1) == 0
        rating = np.where(unplayed, np.nan, own)
        low[unplayed] = high[unplayed] = np.nan
        seat = float(estimate[tournament, agents])
        around = student * float(np.sqrt(max(covariance[tournament, agents, agents], 0.0)))
        advantage = (seat, seat - around, seat + around)
        found.append(Ratings(rating, low, high, advantage, spread[tournament], 2.0 * total, anchor))
    return found


def _open_ends(low: Array, high: Array, points: Array, games: Array, anchor: int | None) -> None:
    """Takes away the bounds that no result supports: of who won, or lost, everything."""
    unbeaten, winless = (games > 0) & (points == games), (games > 0) & (points == 0)
    high[unbeaten], low[winless] = np.inf, -np.inf
    if anchor is not None:
        # Everyone is measured from the anchor: how far it is away is as open as its own strength.
        if unbeaten[anchor]:
            low[:] = -np.inf
        if winless[anchor]:
            high[:] = np.inf
        low[anchor] = high[anchor] = 0.0


@dataclass(frozen=True)
class FitTest:
    """Whether one number an agent, a seat term and a draw term describe the results.

    Attributes:
        deviance: twice the log-likelihood that is lost against a model with a number for every meeting and
            seating.
        freedom: degrees of freedom.
        p: the probability of a deviance so large if the model holds. Games of a pair share their dice, so it
            is approximate.
    """

    deviance: float
    freedom: int
    p: float


def fit_test(results: PairCounts, ratings: Ratings) -> FitTest | None:
    """The likelihood-ratio test of the rating model; None where it has nothing to spare."""
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
    # The draw term is re-estimated here so that expected draws are the observed ones.
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
