"""A heuristic for OpenSpiel's 2048: the score so far, and tiles in line for later merges."""

import pyspiel

from starspiel.agents.evaluators.base import core_heuristic
from starspiel.envs.openspiel.game import OpenSpielGame

_SIZE = 4
#: How much less a tile counts than the one before it on the path.
FADE = 1.5
#: Points for each unit of the sum; with the fade the best of a handful tried.
WORTH = 2.0


def _paths() -> list[list[int]]:
    """The ways to walk the board line by line, there and back, from each corner in both directions."""
    paths = []
    for way in range(8):
        path = []
        for step in range(_SIZE * _SIZE):
            row, column = divmod(step, _SIZE)
            column = column if row % 2 == 0 else _SIZE - 1 - column
            row = _SIZE - 1 - row if way & 1 else row
            column = _SIZE - 1 - column if way & 2 else column
            path.append(_SIZE * column + row if way & 4 else _SIZE * row + column)
        paths.append(path)
    return paths


class TwentyFortyEightHeuristic:
    """The score so far + 2 max over paths of sum tile / 1.5^step: large tiles in a corner, then falling.

    The path winds through the board from a corner; a sum of this kind, with other weights, is what players of
    2048 know as the snake.
    """

    name = "heuristic(2048)"
    range = None
    by_position = True

    _paths = _paths()
    for_core = core_heuristic

    def __init__(self, game: OpenSpielGame) -> None:
        pass

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
