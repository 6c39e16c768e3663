"""Provides a heuristic for OpenSpiel's banqi: the material that is face up."""

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic
from starspiel.envs.games.fitted import core_heuristic

_WORTH = {"G": 10, "A": 5, "E": 4, "R": 3, "H": 2, "C": 4, "S": 1}
#: All pieces of one colour: one general, two each of the next five, five soldiers.
_FULL = 10 + 2 * (5 + 4 + 3 + 2 + 4) + 5


class BanqiHeuristic(CoreHeuristic):
    """(value of player 0's pieces face up - player 1's) / value of an army; 0 before colours are known."""

    name = "heuristic(banqi)"
    for_core = core_heuristic

    def __call__(self, state: pyspiel.State, /) -> float:
        board, _, players = str(state).partition("Player: ")
        if "P0=" not in players:
            return 0.0
        red = sum(_WORTH.get(piece, 0) - _WORTH.get(piece.upper(), 0) * piece.islower() for piece in board)
        return (red if "P0=Red" in players else -red) / _FULL
