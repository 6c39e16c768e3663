"""Elo ratings: Bradley-Terry by maximum likelihood, with Davidson's draws and a seat-advantage term.

For agent i in seat 0 against j, with strengths θ and natural-log units,
    P(win) : P(draw) : P(loss) = exp(θ_i + s/2) : exp(δ + (θ_i + θ_j)/2) : exp(θ_j - s/2)
(Davidson 1970; Davidson & Beaver 1977 for the order effect s). 400 / ln 10 Elo are one unit of θ.

Where an agent won or lost everything the maximum lies at infinity: half a pair is spread over each meeting's
possible results first (`PairCounts.unseen`), and each parameter has a normal prior of standard deviation
1,000 Elo, hardly seen beside data.
"""

from dataclasses import dataclass

import numpy as np

from starspiel.evaluation.statistics.intervals import Array, PairCounts, interval

ELO = 400.0 / float(np.log(10.0))
_PRIOR_SD = 1000.0 / ELO


@dataclass(frozen=True)
class Ratings:
    """Elo of each agent with 95 % intervals by bootstrap over pairs.

    Attributes:
        elo, low, high: one entry an agent; NaN for agents that have not played.
        seat_advantage: (estimate, low, high) in Elo of having seat 0 against an equal.
        samples: (draws, n) the bootstrap's Elo.
        anchor: index of the agent whose rating is 0, or None where the mean of the field is.
    """

    elo: Array
    low: Array
    high: Array
    seat_advantage: tuple[float, float, float]
    samples: Array
    anchor: int | None


def rate(results: PairCounts, *, anchor: int | None = None, draws: int = 1000, seed: int = 1) -> Ratings:
    """Ratings of everyone who played, with intervals from `draws` bootstrap samples over pairs."""
    elo, seat = fit(results.smoothed().by_seat[None], anchor=anchor)
    samples, seats = fit(results.resampled(draws, np.random.default_rng(seed)).by_seat, anchor=anchor)
    low, high = interval(samples, elo[0])
    seat_low, seat_high = interval(seats, seat)
    unplayed = results.pairs.sum(axis=-1) == 0
    for bounds in (elo[0], low, high):
        bounds[unplayed] = np.nan
    advantage = (float(seat[0]), float(seat_low[0]), float(seat_high[0]))
    return Ratings(elo[0], low, high, advantage, samples, anchor)


def fit(by_seat: Array, *, anchor: int | None = None, prior_sd: float = _PRIOR_SD) -> tuple[Array, Array]:
    """Elo (batch, n) and seat advantage (batch,) for losses, draws, wins of shape (batch, n, n, 3).

    Newton's method on the penalised log-likelihood, which is concave. `prior_sd` in natural-log units;
    `inf` is plain maximum likelihood and needs results that have a maximum.
    """
    batch, agents = by_seat.shape[:2]
    rows, columns = np.nonzero(by_seat.sum(axis=(0, 3)))
    meetings = np.arange(len(rows))
    counts = by_seat[:, rows, columns]
    # features[m, result] . (θ, s, δ) is the log weight of loss, draw and win of meeting m.
    features = np.zeros((len(rows), 3, agents + 2))
    features[meetings, 0, columns] = features[meetings, 2, rows] = 1.0
    features[meetings, 1, rows] = features[meetings, 1, columns] = 0.5
    features[:, 0, agents], features[:, 2, agents], features[:, 1, agents + 1] = -0.5, 0.5, 1.0
    features -= features.mean(axis=1, keepdims=True)
    precision = np.full(agents + 2, prior_sd**-2)
    # Only differences of θ matter; a touch of prior keeps the Hessian regular where there is none.
    ridge = np.diag(np.maximum(precision, 1e-9))
    games = counts.sum(axis=-1)
    estimate = np.zeros((batch, agents + 2))
    for _ in range(100):
        logits = np.einsum("mkp,bp->bmk", features, estimate)
        shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        gradient = np.einsum("mkp,bmk->bp", features, counts - games[..., None] * shares)
        gradient -= precision * estimate
        mean = np.einsum("mkp,bmk->bmp", features, shares)
        curvature = np.einsum(
            "bmk,mkp,mkq->bpq", games[..., None] * shares, features, features, optimize=True
        )
        curvature -= np.einsum("bm,bmp,bmq->bpq", games, mean, mean, optimize=True)
        step = np.linalg.solve(curvature + ridge, gradient[..., None])[..., 0]
        # Full steps overshoot from far away; two natural units (350 Elo) at a time do not.
        step *= np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        estimate += step
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    theta = estimate[:, :agents]
    theta = theta - (theta.mean(axis=1, keepdims=True) if anchor is None else theta[:, [anchor]])
    return theta * ELO, estimate[:, agents] * ELO


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
