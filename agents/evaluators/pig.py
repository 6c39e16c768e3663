"""A heuristic for OpenSpiel's pig: the lead in points, the turn total counted as if it were kept."""

import re
from typing import Any

import pyspiel

from starspiel.envs.openspiel import OpenSpielGame

_STATE = re.compile(r"Scores: (\d+) (\d+), Turn total: (\d+)\nCurrent player: ([01])")


class PigHeuristic:
    """(score 0 - score 1, turn total on the mover's side) / winning score, clipped to [-1, 1]."""

    name = "heuristic(pig)"
    range = (-1.0, 1.0)

    def __init__(self, game: OpenSpielGame) -> None:
        self._goal: int = game.pyspiel_game.get_parameters()["winscore"]

    def __call__(self, state: pyspiel.State, /) -> float:
        found = _STATE.match(str(state))
        assert found is not None, str(state)
        mine, other, turn, player = map(int, found.groups())
        lead = mine - other + (turn if player == 0 else -turn)
        return max(-1.0, min(1.0, lead / self._goal))

    @staticmethod
    def plays(game: Any) -> bool:
        """Whether the heuristic knows this form of the game."""
        return bool(game.num_players == 2)
