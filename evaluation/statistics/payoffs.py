"""Payoffs of agents against each other, as OpenSpiel's analyses take them."""

import numpy as np

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.statistics.intervals import Array, PairCounts


def payoffs(results: PairCounts) -> Array:
    """(n, n): mean of +1 a win, 0 a draw, -1 a loss of row against column; antisymmetric.

    Raises StarspielError if two agents did not meet.
    """
    matrix = 2.0 * results.matrix - 1.0
    np.fill_diagonal(matrix, 0.0)
    if np.isnan(matrix).any():
        raise StarspielError("these analyses need every two agents to have met: play a round robin.")
    antisymmetric: Array = (matrix - matrix.T) / 2.0
    return antisymmetric
