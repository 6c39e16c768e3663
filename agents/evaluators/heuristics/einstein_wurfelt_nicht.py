"""Provides a heuristic for OpenSpiel's einstein_wurfelt_nicht: how near the foremost stones are to their
goals.
"""

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic
from starspiel.envs.games.fitted import core_heuristic

_SIZE = 5
#: Moves (diagonal steps count one) from each square to player 0's and to player 1's corner.
_STEPS_0 = [max(_SIZE - 1 - row, _SIZE - 1 - column) for row in range(_SIZE) for column in range(_SIZE)]
_STEPS_1 = [max(row, column) for row in range(_SIZE) for column in range(_SIZE)]


class EinsteinHeuristic(CoreHeuristic):
    """(white's fewest steps to its corner - black's) / 4; player 0 is black. 0 while stones are placed."""

    name = "heuristic(einstein_wurfelt_nicht)"
    for_core = core_heuristic

    def __call__(self, state: pyspiel.State, /) -> float:
        # A square is four characters, |b4|, and a row ends with a line feed.
        text = str(state)
        black = white = _SIZE
        for square in range(_SIZE * _SIZE):
            stone = text[square * 4 + square // _SIZE + 1]
            if stone == "b":
                black = min(black, _STEPS_0[square])
            elif stone == "w":
                white = min(white, _STEPS_1[square])
        if black == _SIZE or white == _SIZE:
            return 0.0
        return (white - black) / (_SIZE - 1)
