"""Which games tell most: where the order of two agents is least settled, and few games are known."""

from collections.abc import Sequence

import numpy as np

from starspiel.evaluation.statistics.bradley_terry import ELO, fit
from starspiel.evaluation.statistics.intervals import PairCounts

#: The standard deviation of an agent's strength about the field's mean before its first game: 400 Elo.
_PRIOR = 400.0 / ELO


def most_telling(results: PairCounts, number: int, playing: Sequence[int]) -> list[tuple[int, int]]:
    """The next `number` pairs between agents of `playing`, each as (i, j) with i < j.

    A pair tells as much as the order of its agents is unsettled (the probability that the one with the lower
    rating is the better one), times the share of the variance of their difference that one more pair takes
    away; that is most for agents with few games. Each choice counts the ones before it as played, so that
    many may be made at once; how they end is not foreseen.
    """
    from scipy.special import ndtr  # slow to load, and not every command needs it

    strength = fit(results.by_seat[None], prior_sd=_PRIOR)[0][0] / ELO
    gaps = strength[:, None] - strength[None, :]
    chance = 1.0 / (1.0 + np.exp(-gaps))
    # Of the two games of a pair, each as the model has it: what is known of a difference of strengths.
    told = 2.0 * chance * (1.0 - chance)
    weights = results.pairs * told
    covariance = np.linalg.inv(np.diag(weights.sum(axis=1) + _PRIOR**-2) - weights)
    allowed = np.zeros_like(gaps, dtype=bool)
    allowed[np.ix_(playing, playing)] = True
    allowed = np.triu(allowed, 1)
    chosen = []
    for _ in range(number if allowed.any() else 0):
        own = np.diag(covariance)
        variance = np.maximum(own[:, None] + own[None, :] - 2.0 * covariance, 1e-300)
        unsettled = ndtr(-np.abs(gaps) / np.sqrt(variance))
        worth = np.where(allowed, unsettled * variance * told / (1.0 + variance * told), -1.0)
        i, j = (int(place) for place in np.unravel_index(int(worth.argmax()), worth.shape))
        chosen.append((i, j))
        moved = covariance[:, i] - covariance[:, j]
        covariance -= told[i, j] / (1.0 + told[i, j] * variance[i, j]) * np.outer(moved, moved)
    return chosen
