"""Rates agents in games that rank more than two players, by the Plackett-Luce model.

In the model, the first place is drawn from all agents in proportion to their strengths, the second place from
the rest, and so on (Luce 1959, Plackett 1975). Agents that tie are one choice, to which each contributes an
equal share; a tie in the last place is not a choice.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.means import quantile
from starspiel.evaluation.play.record import rounding
from starspiel.evaluation.statistics.blocks import Blocks
from starspiel.evaluation.statistics.bradley_terry import ELO
from starspiel.evaluation.statistics.intervals import Array
from starspiel.evaluation.statistics.ratings import Ratings, largest_group, opened

#: Wins and losses against an average opponent that are added to each agent's, to keep all ratings finite.
PRIOR = 0.5
#: For agents with this many blocks, observed variance and the model's variance have equal weight.
_OWN_SCATTER = 10.0
_ROUNDS, _NEAR = 100, 1e-10


@dataclass(frozen=True)
class Choices:
    """The choices that the rankings of games consist of.

    Attributes:
        block: (choices,) the block of each choice, ascending.
        chosen: (choices, agents) each agent's share in the choice; the shares sum to 1.
        among: (choices, agents) number of seats that each agent had among the candidates.
    """

    block: NDArray[np.int64]
    chosen: Array
    among: Array

    @staticmethod
    def of(blocks: Blocks) -> "Choices":
        """Returns the choices of all games."""
        order = np.argsort(-blocks.places, axis=-1, kind="stable")
        places = np.take_along_axis(blocks.places, order, axis=-1)
        agents = np.take_along_axis(blocks.agents, order, axis=-1)
        slack = rounding([float(np.abs(places).max(initial=0.0))])
        seats = np.eye(blocks.field)[agents]
        number = np.broadcast_to(np.arange(len(agents))[:, None], agents.shape[:2])
        parts = []
        for place in range(blocks.seats - 1):
            here = places[..., place]
            begins = here < places[..., place - 1] - slack if place else np.ones_like(here, dtype=bool)
            of_it = begins & (places[..., -1] < here - slack)
            level = (places >= here[..., None] - slack) & (np.arange(blocks.seats) >= place)
            chosen = (seats * level[..., None]).sum(axis=-2) / level.sum(axis=-1)[..., None]
            parts.append((number[of_it], chosen[of_it], seats[..., place:, :].sum(axis=-2)[of_it]))
        block, chosen, among = (np.concatenate(each) for each in zip(*parts, strict=True))
        by_block = np.argsort(block, kind="stable")
        return Choices(block[by_block], chosen[by_block], among[by_block])

    def fit(self, prior: float = PRIOR) -> tuple[Array, Array]:
        """Returns (agents,) log strengths at the maximum, and the (agents, agents) negative Hessian there.

        It uses Newton's method on the log-likelihood, which is concave, with `prior` wins and losses of each
        agent against an opponent of strength 1. Without a prior, strengths have the geometric mean 1.
        """
        agents = self.chosen.shape[-1]
        theta, curvature = np.zeros(agents), np.eye(agents)
        wins = self.chosen.sum(axis=0)
        kinds, counts = np.unique(self.among, axis=0, return_counts=True)
        for _ in range(_ROUNDS):
            shares = _shares(kinds, theta)
            own = 1.0 / (1.0 + np.exp(-theta))
            slope = wins - counts @ shares + prior * (1.0 - 2.0 * own)
            curvature = np.diag(counts @ shares) - (shares * counts[:, None]).T @ shares
            curvature += np.diag(2.0 * prior * own * (1.0 - own))
            step = np.linalg.lstsq(curvature, slope, rcond=None)[0]
            theta = theta + step / max(1.0, float(np.abs(step).max()))
            if np.abs(step).max() < _NEAR:
                break
        return (theta if prior else theta - theta.mean()), curvature

    def slopes(self, theta: Array) -> Array:
        """Returns (blocks, agents): the gradient of each block's log-likelihood."""
        gaps = self.chosen - _shares(self.among, theta)
        found = np.zeros((int(self.block[-1]) + 1 if self.block.size else 0, gaps.shape[-1]))
        np.add.at(found, self.block, gaps)
        return found


def _shares(among: Array, theta: Array) -> Array:
    """Returns the probability that each agent is chosen among the candidates."""
    weights = among * np.exp(theta - theta.max())
    shares: Array = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def rate_blocks(blocks: Blocks, anchor: int | None = None) -> Ratings:
    """Returns each agent's Elo with 95 % intervals; 0 is the anchor, or the mean of `largest_group`.

    Intervals use a sandwich estimate with blocks as clusters, and Student's quantile. For agents with few
    blocks the fit is too close to the data, so the variance there is the model's. An interval is infinite on
    a side on which no choices bound the distance from 0.
    """
    choices = Choices.of(blocks)
    theta, curvature = choices.fit()
    blocks_of_each = np.diagonal(blocks.meetings).astype(np.float64)
    played = blocks_of_each > 0
    points = choices.chosen.T @ (choices.among > 0.0)
    np.fill_diagonal(points, 0.0)
    zero = largest_group(points, blocks_of_each) if anchor is None else (anchor,)
    contrasts = np.eye(blocks.field)
    contrasts[:, list(zero)] -= 1.0 / len(zero)
    number = len(blocks.agents)
    slopes = choices.slopes(theta)
    fewest = blocks_of_each[blocks.agents[:, 0]].min(axis=-1)
    own = fewest / (fewest + _OWN_SCATTER)
    scatter = (slopes * own[: len(slopes), None]).T @ slopes * number / max(number - 1, 1)
    shares, expected = _shares(choices.among, theta), 1.0 - own[choices.block, None]
    modelled = np.diag((expected * shares).sum(axis=0)) - (expected * shares).T @ shares
    inverse = np.linalg.pinv(curvature)
    spread = contrasts @ inverse @ (scatter + modelled) @ inverse @ contrasts.T * ELO**2
    elo = np.where(played, contrasts @ theta * ELO, np.nan)
    student = quantile(number - 1) if number > 1 else np.nan
    reach = student * np.sqrt(np.maximum(np.diagonal(spread), 0.0))
    low, high = (np.where(played, ends, np.nan) for ends in opened(elo - reach, elo + reach, points, zero))
    return Ratings(elo, low, high, (np.nan,) * 3, spread, float(number - 1), zero)
