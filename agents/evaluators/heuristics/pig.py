"""Provides a heuristic for OpenSpiel's pig: the lead in points, counting the turn total as if it were kept.

With more than two players, it is each one's winning chance by a soft maximum over the points.

While the die is rolling, the turn total counts as its mean after the roll. If it counted as before the roll,
rolling would never look worse than stopping to a search that ends there, which would roll until it busts.
"""

import re

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic, expected_returns
from starspiel.envs.games.fitted import core_heuristic
from starspiel.envs.openspiel.game import OpenSpielGame

_STATE = re.compile(r"Scores: ([\d ]+), Turn total: (\d+)\nCurrent player: (\d+)( \(rolling\))?")

#: How much the logarithm of a player's winning chance grows from 0 points to the winning score.
_STEEPNESS = 4.5


class PigHeuristic(CoreHeuristic):
    """(score 0 - score 1, turn total or its mean on the mover's side) / winning score, in [-1, 1].

    With more players, values are the returns of winning chances in proportion to exp(4.5 x points / winning
    score).
    """

    name = "heuristic(pig)"
    for_core = core_heuristic

    def __init__(self, game: OpenSpielGame) -> None:
        parameters = game.pyspiel_game.get_parameters()
        super().__init__(game)
        self._players: int = game.num_players
        self._goal: int = parameters["winscore"]
        sides: int = parameters["diceoutcomes"]
        self._gain = 1.0 if parameters["piglet"] else (sides + 2) / 2  # The mean of a roll other than 1.
        self._kept = (sides - 1) / sides

    def __call__(self, state: pyspiel.State, /) -> float | tuple[float, ...]:
        found = _STATE.match(str(state))
        assert found is not None, str(state)
        scores, total, player, rolling = found.groups()
        turn = (int(total) + self._gain) * self._kept if rolling else float(total)
        if self._players > 2:
            points = [float(score) for score in scores.split(" ")]
            points[int(player)] += turn
            return expected_returns(
                [_STEEPNESS * (min(each, self._goal) / self._goal) for each in points], won=1.0
            )
        first, second = scores.split(" ")
        lead = int(first) - int(second) + (turn if player == "0" else -turn)
        return max(-1.0, min(1.0, lead / self._goal))
