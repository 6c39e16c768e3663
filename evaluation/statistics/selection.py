"""Selects the games that a ladder plays next: those of agents whose difference is least certain."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.play.lineups import Lineup, lineups_of_all
from starspiel.evaluation.statistics.blocks import Blocks
from starspiel.evaluation.statistics.bradley_terry import ELO, fit
from starspiel.evaluation.statistics.intervals import Array, PairCounts
from starspiel.evaluation.statistics.plackett_luce import Choices

#: Prior standard deviation of an agent's strength about the field's mean: 400 Elo.
_PRIOR = 400.0 / ELO
#: Half of the estimated difference is believed when the agent with fewer pairs has this many.
_HALF_BELIEVED = 100.0


def most_telling(results: PairCounts, number: int, playing: Sequence[int]) -> list[tuple[int, int]]:
    """Returns the next `number` pairs between agents of `playing`, each as (i, j) with i < j."""
    [chosen] = most_telling_all(PairCounts(results.counts[None]), number, playing)
    return [(int(i), int(j)) for i, j in chosen]


def most_telling_all(results: PairCounts, number: int, playing: Sequence[int]) -> NDArray[np.int64]:
    """Returns the next pairs of a batch of ladders: (batch, number, 2).

    The worth of a pair is the share of the variance of its agents' difference that it removes. Every second
    pair is chosen as if all agents were equal, which keeps all agents connected; the others prefer neighbours
    in strength. Each choice counts the previous ones as played.

    Estimated differences are discounted while pairs are few. A rule that only played unsettled differences
    would leave an agent where an unlucky start put it; intervals would then hold the truth in half of all
    cases.
    """
    playable = np.zeros((results.agents, results.agents), dtype=bool)
    playable[np.ix_(playing, playing)] = True
    playable = np.triu(playable, 1)
    strength = fit(results.by_seat, prior_sd=_PRIOR)[0] / ELO
    tells = [np.full(results.pairs.shape, 0.5), _information(strength, results.pairs.sum(axis=-1))]
    covariances = [_precise(results.pairs, told) for told in tells]
    batch = np.arange(len(results.counts))
    chosen = np.zeros((len(batch), number if playable.any() else 0, 2), dtype=np.int64)
    for place in range(chosen.shape[1]):
        worths = [told * _variance(covariance) for told, covariance in zip(tells, covariances, strict=True)]
        worth = np.where(playable, worths[place % 2], -1.0).reshape(len(batch), -1)
        i, j = np.unravel_index(worth.argmax(axis=1), playable.shape)
        chosen[:, place, 0], chosen[:, place, 1] = i, j
        for told, covariance, worth in zip(tells, covariances, worths, strict=True):
            moved = covariance[batch, i] - covariance[batch, j]
            gained = told[batch, i, j] / (1.0 + worth[batch, i, j])
            covariance -= gained[:, None, None] * moved[:, :, None] * moved[:, None, :]
    return chosen


def most_telling_lineups(
    blocks: Blocks | None, agents: int, seats: int, number: int, playing: Sequence[int]
) -> list[Lineup]:
    """Returns the next `number` lineups of a ladder of more than two players, from its agents `playing`.

    A block tells as much about any two of its agents as a pair would. A lineup begins with the agent whose
    pairs with all others are worth most; the agent whose pairs with those chosen are worth most joins next.
    Every second lineup is chosen as if all agents were equal. With fewer agents than seats, the lineup that
    was played least often is next.
    """
    met = np.zeros((1, agents, agents)) if blocks is None else blocks.meetings[None].astype(np.float64)
    if len(playing) < seats:
        return _of_few(blocks, seats, number, playing)
    strength = np.zeros((1, agents)) if blocks is None else Choices.of(blocks).fit()[0][None]
    met[:, range(agents), range(agents)], played = 0.0, met[:, range(agents), range(agents)]
    tells = [np.full(met.shape, 0.5), _information(strength, played)]
    covariances = [_precise(met, told) for told in tells]
    chosen: list[Lineup] = []
    for place in range(number):
        worth = (tells[place % 2] * _variance(covariances[place % 2]))[0]
        lineup: list[int] = []
        while len(lineup) < seats:
            left = [agent for agent in playing if agent not in lineup]
            among = lineup or left
            lineup.append(max(left, key=lambda agent: float(worth[agent, among].sum())))
        chosen.append(tuple(sorted(lineup)))
        for i, j in combinations(lineup, 2):
            met[:, i, j] += 1.0
            met[:, j, i] += 1.0
        covariances = [_precise(met, told) for told in tells]
    return chosen


def _of_few(blocks: Blocks | None, seats: int, number: int, playing: Sequence[int]) -> list[Lineup]:
    """Returns the lineups of all agents that were played least often, for fewer agents than seats."""
    rows = [] if blocks is None else np.sort(blocks.agents[:, 0]).tolist()
    played, chosen = Counter(map(tuple, rows)), []
    order = sorted(playing)
    lineups = [tuple([order[agent] for agent in own]) for own in lineups_of_all(len(order), seats)]
    for _ in range(number):
        chosen.append(min(lineups, key=lambda lineup: played[lineup]))
        played[chosen[-1]] += 1
    return chosen


def _information(strength: Array, played: Array) -> Array:
    """Returns (batch, n, n): the information of a pair about the difference of two strengths, ½ for equals.

    It is the information of its two games in the rating model, from (batch, n) strengths and the number of
    pairs that each agent has played.
    """
    least = np.minimum(played[:, :, None], played[:, None, :])
    gap = (strength[:, :, None] - strength[:, None, :]) * least / (least + _HALF_BELIEVED)
    chance = 1.0 / (1.0 + np.exp(-gap))
    told: Array = 2.0 * chance * (1.0 - chance)
    return told


def _precise(pairs: Array, told: Array) -> Array:
    """Returns (batch, n, n): the covariance of the agents' strengths, if pairs have information `told`."""
    weights = pairs * told
    precision = (weights.sum(axis=2) + _PRIOR**-2)[:, :, None] * np.eye(weights.shape[-1]) - weights
    covariance: Array = np.linalg.inv(precision)
    return covariance


def _variance(covariance: Array) -> Array:
    """Returns (batch, n, n): the variance of the difference of any two agents."""
    own = np.diagonal(covariance, axis1=1, axis2=2)
    variance: Array = np.maximum(own[:, :, None] + own[:, None, :] - 2.0 * covariance, 1e-300)
    return variance
