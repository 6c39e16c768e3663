"""The rating model, fitted: Bradley-Terry with Davidson's draws and a seat-advantage term.

For agent i in seat 0 against j, with strengths θ and natural-log units,
    P(win) : P(draw) : P(loss) = exp(θ_i + s/2) : exp(δ + (θ_i + θ_j)/2) : exp(θ_j - s/2)
(Davidson 1970; Davidson & Beaver 1977 for the order effect s). 400 / ln 10 Elo are one unit of θ.

Where an agent won or lost everything the maximum of the likelihood lies at infinity. With Jeffreys' prior
it is finite, and less biased where games are few (Firth 1993, "Bias reduction of maximum likelihood
estimates"; Heinze & Schemper 2002 for separated data). With two agents and equal seats it adds half a win
and half a loss.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.statistics.intervals import SCORES, Array, PairCounts

Indices = NDArray[np.int64]

ELO = 400.0 / float(np.log(10.0))
#: Precision of a normal prior on each parameter (5,500 Elo): what no game says anything about stays finite.
_RIDGE = 1e-3
#: Meetings of so many pairs count their own scatter as much as what the model expects of it.
_OWN_SCATTER = 40.0
#: So many pairs in which the games were independent go into the estimate of their correlation.
_PRIOR_PAIRS = 4.0


@dataclass(frozen=True)
class Fit:
    """The model at its maximum, for a batch of tournaments.

    Attributes:
        estimate: (batch, parameters): θ of each agent, s, and δ where games were drawn.
        inverse: (batch, parameters, parameters): the inverse of the information.
        rows, columns: the agents in seat 0 and 1 of each ordered meeting.
        shares: (batch, meetings, 3): probability of loss, draw and win of seat 0.
        centred: (batch, meetings, 3, parameters): the derivative of the log of these by the parameters.
    """

    estimate: Array
    inverse: Array
    rows: Indices
    columns: Indices
    shares: Array
    centred: Array


def fit_model(by_seat: Array, *, jeffreys: bool = True, ridge: float = _RIDGE) -> Fit:
    """The maximum for losses, draws and wins of shape (batch, n, n, 3), by Newton's method.

    With Jeffreys' prior the score gains half the leverage of every result, as if it had been seen so much
    more often. Without it, `ridge=0` is plain maximum likelihood and needs results that have a maximum.
    """
    batch, agents = by_seat.shape[:2]
    rows, columns = (places.astype(np.int64) for places in np.nonzero(by_seat.sum(axis=(0, 3))))
    counts = by_seat[:, rows, columns]
    games = counts.sum(axis=-1)
    drawn = bool(counts[..., 1].any())
    features = _features(agents, rows, columns, drawn)
    possible = np.array([1.0, float(drawn), 1.0])
    # Only differences of θ matter; a touch of prior keeps the Hessian regular where there is none.
    regular = np.eye(features.shape[-1]) * max(ridge, 1e-9)
    estimate: Array = np.zeros((batch, features.shape[-1]))
    for _ in range(100):
        logits = np.einsum("mkp,bp->bmk", features, estimate)
        shares: Array = np.exp(logits - logits.max(axis=-1, keepdims=True, initial=-np.inf)) * possible
        shares /= shares.sum(axis=-1, keepdims=True)
        centred: Array = features - np.einsum("mkp,bmk->bmp", features, shares)[:, :, None]
        expected = games[..., None] * shares
        inverse: Array = np.asarray(np.linalg.inv(_gram(expected, centred) + regular), dtype=np.float64)
        surplus = counts - expected
        if jeffreys:
            surplus = surplus + 0.5 * expected * ((centred @ inverse[:, None]) * centred).sum(axis=-1)
        gradient = np.einsum("bmk,bmkp->bp", surplus, centred) - ridge * estimate
        step = np.einsum("bpq,bq->bp", inverse, gradient)
        # Full steps overshoot from far away; two natural units (350 Elo) at a time do not.
        step *= np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        estimate = estimate + step
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return Fit(estimate, inverse, rows, columns, shares, centred)


def covariance(found: Fit, counts: Array) -> Array:
    """(batch, parameters, parameters): of the estimate, from pair counts of shape (batch, n, n, 3, 3).

    The two games of a pair share their dice, so pairs are what is independent: a sandwich estimate with
    pairs as clusters (Liang & Zeger 1986). What is between is each meeting's own scatter once it has many
    pairs. With few that is hardly known, and the model's counts instead, with one correlation of a pair's
    games for all meetings.
    """
    agents = counts.shape[1]
    place = np.zeros((agents, agents), dtype=int)
    place[found.rows, found.columns] = np.arange(len(found.rows))
    i, j = np.nonzero(np.triu(counts.sum(axis=(0, 3, 4)), 1))
    results, pairs = counts[:, i, j], counts[:, i, j].sum(axis=(-1, -2))
    # Both games from i's side: in the second, i's result is the mirror of seat 0's.
    first, second = place[i, j], place[j, i]
    shares = np.stack([found.shares[:, first], found.shares[:, second, ::-1]], axis=2)
    scores = np.stack([found.centred[:, first], found.centred[:, second, ::-1]], axis=2)
    mean = shares @ SCORES
    spread = np.sqrt(np.maximum(shares @ SCORES**2 - mean**2, 0.0))
    residual = SCORES - mean[..., None]
    common = pairs * spread[:, :, 0] * spread[:, :, 1]
    seen = np.einsum("bmxy,bmx,bmy->b", results, residual[:, :, 0], residual[:, :, 1], optimize=True)
    total = pairs.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.nan_to_num(seen / common.sum(axis=1) * total / (total + _PRIOR_PAIRS))
    correlation = np.clip(correlation, -0.95, 0.95)

    own = pairs / (pairs + _OWN_SCATTER)
    both = scores[:, :, 0, :, None, :] + scores[:, :, 1, None, :, :]
    (batch, meetings), size = pairs.shape, found.estimate.shape[1]
    inner = _gram(
        (own[..., None, None] * results).reshape(batch, meetings, 9),
        both.reshape(batch, meetings, 9, size),
    )
    expected = ((1.0 - own) * pairs)[..., None, None] * shares
    inner += _gram(expected.reshape(batch, 2 * meetings, 3), scores.reshape(batch, 2 * meetings, 3, size))
    slopes = scores[:, :, :, 2] - scores[:, :, :, 0]
    crossed = np.einsum(
        "bm,bmp,bmq->bpq",
        correlation[:, None] * (1.0 - own) * common,
        slopes[:, :, 0],
        slopes[:, :, 1],
        optimize=True,
    )
    inner += crossed + np.swapaxes(crossed, -1, -2)
    outer: Array = found.inverse @ inner @ found.inverse
    return outer


def fit(by_seat: Array, *, anchor: int | None = None, prior_sd: float = 1000.0 / ELO) -> tuple[Array, Array]:
    """Elo (batch, n) and seat advantage (batch,) with a normal prior, for losses, draws, wins (batch, n, n,
    3).

    `prior_sd` in natural-log units; `inf` is plain maximum likelihood and needs results that have a maximum.
    """
    agents = by_seat.shape[1]
    estimate = fit_model(by_seat, jeffreys=False, ridge=prior_sd**-2).estimate
    theta = estimate[:, :agents]
    theta = theta - (theta.mean(axis=1, keepdims=True) if anchor is None else theta[:, [anchor]])
    return theta * ELO, estimate[:, agents] * ELO


def fit_pairs(results: PairCounts) -> tuple[Array, Array]:
    """(batch, parameters) and their covariance in Elo, for counts with a batch in front."""
    found = fit_model(results.by_seat)
    return found.estimate * ELO, covariance(found, results.counts) * ELO**2


def _features(agents: int, rows: Indices, columns: Indices, drawn: bool) -> Array:
    """[m, result] . (θ, s, δ) is the log weight of loss, draw and win of meeting m."""
    meetings = np.arange(len(rows))
    features = np.zeros((len(rows), 3, agents + 1 + drawn))
    features[meetings, 0, columns] = features[meetings, 2, rows] = 1.0
    features[meetings, 1, rows] = features[meetings, 1, columns] = 0.5
    features[:, 0, agents], features[:, 2, agents] = -0.5, 0.5
    if drawn:
        features[:, 1, agents + 1] = 1.0
    return features


def _gram(weights: Array, vectors: Array) -> Array:
    """(batch, p, p): the weighted sum of the outer squares of (batch, meetings, results, p)."""
    batch, size = vectors.shape[0], vectors.shape[-1]
    rows = vectors.shape[1] * vectors.shape[2]
    flat = vectors.reshape(batch, rows, size)
    gram: Array = np.swapaxes(flat * weights.reshape(batch, rows, 1), -1, -2) @ flat
    return gram
