"""Fits the rating model: Bradley-Terry with Davidson's draws and a seat-advantage term.

For agent i in seat 0 against j, with strengths θ and natural-log units,
    P(win) : P(draw) : P(loss) = exp(θ_i + s/2) : exp(δ + (θ_i + θ_j)/2) : exp(θ_j - s/2)
(Davidson 1970; Davidson & Beaver 1977 for the order effect s). 400 / ln 10 Elo are one unit of θ.

If an agent won or lost all games, the maximum of the likelihood is at infinity. With Jeffreys' prior it is
finite, and less biased if games are few (Firth 1993, "Bias reduction of maximum likelihood estimates";
Heinze & Schemper 2002 for separated data). With two agents and equal seats, this prior adds half a win and
half a loss.

A result depends only on (θ_i - θ_j + s, δ), so sums are over matrices with an entry for each ordered meeting.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from starspiel.evaluation.statistics.intervals import Array

ELO = 400.0 / float(np.log(10.0))
#: Precision of a normal prior on each parameter (5,500 Elo), which keeps parameters without data finite.
_RIDGE = 1e-3

#: Derivatives of the log weights of a loss, a draw and a win of seat 0, by θ_i - θ_j + s and by δ.
BY_STRENGTH, BY_DRAW = (-0.5, 0.0, 0.5), (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class Fit:
    """The model at its maximum, for a batch of tournaments.

    Attributes:
        estimate: (batch, parameters): θ of each agent, s, and δ if games were drawn.
        inverse: (batch, parameters, parameters): the inverse of the information matrix.
        shares: (3, batch, n, n): probability of loss, draw and win of the row's agent in seat 0.
    """

    estimate: Array
    inverse: Array
    shares: Array

    @property
    def drawn(self) -> bool:
        """Whether δ is one of the parameters."""
        return bool(self.estimate.shape[1] > self.shares.shape[-1] + 1)

    @property
    def by_strength(self) -> Array:
        """(3, batch, n, n): derivative of the log of `shares` by θ_i - θ_j + s."""
        derivative: Array = column(BY_STRENGTH) - (self.shares[2] - self.shares[0]) / 2.0
        return derivative

    @property
    def by_draw(self) -> Array:
        """(3, batch, n, n): derivative of the log of `shares` by δ; all 0 without draws."""
        derivative: Array = (column(BY_DRAW) - self.shares[1]) * float(self.drawn)
        return derivative


def fit_model(
    by_seat: Array, *, jeffreys: bool = True, ridge: float = _RIDGE, drawn: bool | None = None
) -> Fit:
    """Fits the model to losses, draws and wins of shape (batch, n, n, 3), by Newton's method.

    With Jeffreys' prior, half the leverage of every result is added to the score. Without it, `ridge=0` is
    plain maximum likelihood, which needs results whose likelihood has a maximum. `drawn` says whether δ is a
    parameter; by default it is if a game was drawn.
    """
    batch, agents = by_seat.shape[:2]
    results = np.ascontiguousarray(np.moveaxis(by_seat, -1, 0))
    games = results.sum(axis=0)
    drawn = bool(results[1].any()) if drawn is None else drawn
    size = agents + 1 + drawn
    # Only differences of θ matter, so without a prior a tiny one keeps the Hessian regular.
    regular = np.eye(size) * max(ridge, 1e-9)
    found = Fit(np.zeros((batch, size)), np.zeros((batch, size, size)), np.zeros((3, batch, agents, agents)))
    last, share = np.zeros((batch, size)), np.ones((batch, 1))
    for _ in range(100):
        found = replace(found, shares=_shares(found.estimate, agents))
        strength, draw = found.by_strength, found.by_draw
        expected = games * found.shares
        by_strength = (expected * strength**2).sum(axis=0)
        information = assembled(by_strength, by_strength, by_strength)
        if drawn:
            crossed = (expected * strength * draw).sum(axis=0)
            information = bordered(information, crossed, crossed, (expected * draw**2).sum(axis=0))
        inverse = np.asarray(np.linalg.inv(information + regular), dtype=np.float64)
        surplus = results - expected
        if jeffreys:
            variance, crossed, of_draw = _leverages(inverse, agents)
            leverage = variance * strength**2
            if drawn:
                leverage += 2.0 * crossed * strength * draw + of_draw[:, None, None] * draw**2
            surplus += 0.5 * expected * leverage
        by_strength = (surplus * strength).sum(axis=0)
        parts = [_ends(by_strength), by_strength.sum(axis=(1, 2))[:, None]]
        if drawn:
            parts.append((surplus * draw).sum(axis=0).sum(axis=(1, 2))[:, None])
        gradient = np.concatenate(parts, axis=1)
        step = (inverse @ (gradient - ridge * found.estimate)[..., None])[..., 0]
        # Full steps overshoot from far away; two natural units (350 Elo) at a time do not.
        step *= np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        # The information ignores Jeffreys' prior, so with a game or two, steps would oscillate forever.
        back = -(step * last).sum(axis=1) > 0.25 * (last**2).sum(axis=1)
        share[back] /= 2.0
        last = step = step * share
        found = replace(found, estimate=found.estimate + step, inverse=inverse)
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return found


def fit(by_seat: Array, *, prior_sd: float = 1000.0 / ELO) -> tuple[Array, Array]:
    """Returns Elo (batch, n) with mean 0, and the seat advantage in Elo (batch,), with a normal prior.

    Args:
        by_seat: losses, draws and wins, (batch, n, n, 3).
        prior_sd: in natural-log units; `inf` is plain maximum likelihood, which needs results whose
            likelihood has a maximum.
    """
    agents = by_seat.shape[1]
    estimate = fit_model(by_seat, jeffreys=False, ridge=prior_sd**-2).estimate
    theta = estimate[:, :agents]
    return (theta - theta.mean(axis=1, keepdims=True)) * ELO, estimate[:, agents] * ELO


def column(values: Sequence[float] | Array) -> Array:
    """Returns three values, one per result, in the shape (3, 1, 1, 1)."""
    return np.asarray(values, dtype=np.float64)[:, None, None, None]


def mirrored(results: Array) -> Array:
    """Returns numbers per result and ordered meeting from the perspective of the agent in seat 1."""
    return np.swapaxes(results, -1, -2)[::-1]


def _shares(estimate: Array, agents: int) -> Array:
    """Returns (3, batch, n, n): probabilities of loss, draw and win of the row's agent in seat 0."""
    theta, seat = estimate[:, :agents], estimate[:, agents]
    gap = (theta[:, :, None] - theta[:, None, :] + seat[:, None, None]) / 2.0
    weights: Array = np.zeros((3, *gap.shape))
    most = np.abs(gap)
    if estimate.shape[1] > agents + 1:
        level = np.broadcast_to(estimate[:, agents + 1, None, None], gap.shape)
        most = np.maximum(most, level)
        weights[1] = np.exp(level - most)
    weights[0], weights[2] = np.exp(-gap - most), np.exp(gap - most)
    weights /= weights.sum(axis=0)
    return weights


def assembled(gap: Array, gap_seat: Array, seat: Array) -> Array:
    """Returns (batch, n + 1, n + 1): the sum over ordered meetings of products of derivatives, without δ.

    The weights, (batch, n, n) each, are those of θ_i - θ_j squared, of θ_i - θ_j times s, and of s squared.
    """
    batch, agents = gap.shape[:2]
    gram: Array = np.zeros((batch, agents + 1, agents + 1))
    gram[:, :agents, :agents] = -gap - np.swapaxes(gap, 1, 2)
    diagonal = np.arange(agents)
    gram[:, diagonal, diagonal] += gap.sum(axis=1) + gap.sum(axis=2)
    gram[:, :agents, agents] = gram[:, agents, :agents] = _ends(gap_seat)
    gram[:, agents, agents] = seat.sum(axis=(1, 2))
    return gram


def bordered(gram: Array, gap_draw: Array, seat_draw: Array, draw: Array) -> Array:
    """Returns the matrix `gram` with a row and a column for δ added."""
    agents = gram.shape[1] - 1
    wider = np.pad(gram, ((0, 0), (0, 1), (0, 1)))
    wider[:, :agents, -1] = wider[:, -1, :agents] = _ends(gap_draw)
    wider[:, agents, -1] = wider[:, -1, agents] = seat_draw.sum(axis=(1, 2))
    wider[:, -1, -1] = draw.sum(axis=(1, 2))
    return wider


def _ends(meetings: Array) -> Array:
    """Returns (batch, n): each agent's sum of a number over meetings as first agent, less that as second."""
    ends: Array = meetings.sum(axis=2) - meetings.sum(axis=1)
    return ends


def _leverages(inverse: Array, agents: int) -> tuple[Array, Array, Array]:
    """Returns the variance of θ_i - θ_j + s, its covariance with the last parameter, and that one's variance.

    The shapes are (batch, n, n), (batch, n, n) and (batch,).
    """
    theta = inverse[:, :agents, :agents]
    own, with_seat = np.diagonal(theta, axis1=1, axis2=2), inverse[:, :agents, agents]
    seat, last = inverse[:, agents, agents], inverse[:, :agents, -1]
    first, second = own + 2.0 * with_seat + seat[:, None], own - 2.0 * with_seat
    variance = first[:, :, None] + second[:, None, :] - 2.0 * theta
    crossed = last[:, :, None] - last[:, None, :] + inverse[:, agents, -1][:, None, None]
    return variance, crossed, inverse[:, -1, -1]
