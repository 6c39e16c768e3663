"""A heuristic for OpenSpiel's pig: the lead in points, the turn total counted as if it were kept.

While the die rolls the turn total counts as its mean after the roll. Valued as it was before, rolling would
never look worse than stopping to a search that ends there, which would roll until it busts.
"""

import re
from typing import Any

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic
from starspiel.envs.games.fitted import core_heuristic
from starspiel.envs.openspiel.game import OpenSpielGame

_STATE = re.compile(r"Scores: (\d+) (\d+), Turn total: (\d+)\nCurrent player: ([01])( \(rolling\))?")


class PigHeuristic(CoreHeuristic):
    """(score 0 - score 1, turn total or its mean on the mover's side) / winning score, in [-1, 1]."""

    name = "heuristic(pig)"
    for_core = core_heuristic

    def __init__(self, game: OpenSpielGame) -> None:
        parameters = game.pyspiel_game.get_parameters()
        self._goal: int = parameters["winscore"]
        sides: int = parameters["diceoutcomes"]
        self._gain = 1.0 if parameters["piglet"] else (sides + 2) / 2  # The mean of a roll that is no 1.
        self._kept = (sides - 1) / sides

    def __call__(self, state: pyspiel.State, /) -> float:
        found = _STATE.match(str(state))
        assert found is not None, str(state)
        first, second, total, player, rolling = found.groups()
        turn = (int(total) + self._gain) * self._kept if rolling else float(total)
        lead = int(first) - int(second) + (turn if player == "0" else -turn)
        return max(-1.0, min(1.0, lead / self._goal))

    @staticmethod
    def plays(game: Any) -> bool:
        """Whether the heuristic knows this form of the game."""
        return bool(game.num_players == 2)
