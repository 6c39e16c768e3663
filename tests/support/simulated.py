"""Tournaments between agents whose chances are known."""

from typing import Any

import numpy as np

from starspiel.evaluation.statistics.intervals import PairCounts


def simulated(
    rng: np.random.Generator, tournaments: int, chances: Any, pairs: Any, luck: float = 0.0
) -> PairCounts:
    """Counts of tournaments whose games are won with `chances[i, j]` by i against j, from either seat.

    Args:
        pairs: how many pairs i and j play, one number or (n, n).
        luck: the share of pairs in which dice that favour a seat decide both games.
    """
    agents = len(chances)
    counts = np.zeros((tournaments, agents, agents, 3, 3))
    met = np.broadcast_to(pairs, (agents, agents))
    for i, j in zip(*np.triu_indices(agents, 1), strict=True):
        first, second = rng.random((2, tournaments, met[i, j]))
        second = np.where(rng.random(second.shape) < luck, 1.0 - first, second)
        won = np.stack([first, second]) < chances[i][j]
        for a in (0, 1):
            for b in (0, 1):
                counts[:, i, j, 2 * a, 2 * b] = ((won[0] == a) & (won[1] == b)).sum(axis=1)
    return PairCounts(counts)
