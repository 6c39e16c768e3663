"""Provides a heuristic for OpenSpiel's 2048: the score so far, and tiles in line for later merges."""

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic
from starspiel.envs.games.fitted import core_heuristic
from starspiel.envs.games.twenty_forty_eight.heuristic import FADE, WORTH, snake_paths


class TwentyFortyEightHeuristic(CoreHeuristic):
    """The score so far + 2 max over paths of sum tile / 1.5^step: large tiles in a corner, then smaller ones.

    The path winds through the board from a corner. Players of 2048 know such a sum, with other weights, as
    the snake.
    """

    name = "heuristic(2048)"
    range = None
    ranks_only = True

    _paths = snake_paths(4, 4)
    for_core = core_heuristic

    def __call__(self, state: pyspiel.State, /) -> float:
        tiles = [float(tile) for tile in str(state).split()]
        best = 0.0
        for path in self._paths:
            total, weight = 0.0, 1.0
            for cell in path:
                total += weight * tiles[cell]
                weight /= FADE
            best = max(best, total)
        return float(state.returns()[0]) + WORTH * best
