"""The network inputs of Pig."""

from typing import Any

import numpy as np

from starspiel.envs.base import CHANCE
from starspiel.envs.games.encoding import Features, PositionEncoder
from starspiel.envs.games.pig.rules import Pig, PigPosition
from starspiel.envs.rules import RulesState


class PigEncoder(PositionEncoder):
    """The inputs: own score, other score, own score plus the turn's points, and whether the die is rolling.

    Each score is encoded as one of twenty parts of the goal, and in points.
    """

    name = "star_pig"
    _PARTS = 20

    def __init__(self, game: Pig) -> None:
        self._goal = game.goal
        one = [1.0] * (self._PARTS + 1) + [1 / game.goal]
        self.units = np.array(3 * one + [1], dtype=np.float32)

    def turn(self, state: RulesState[Any]) -> int:
        player: int = state.position.turn_player
        return player

    def sees(self, state: RulesState[Any]) -> bool:
        return True

    def inputs(self, position: PigPosition, turn: int) -> Features:
        own, other = position.scores[turn], position.scores[1 - turn]
        features: Features = []
        for place, points in enumerate((own, other, own + position.turn_total)):
            base, points = place * (self._PARTS + 2), min(points, self._goal)
            features += [(base + points * self._PARTS // self._goal, 1), (base + self._PARTS + 1, points)]
        return [*features, (len(self.units) - 1, int(position.acting == CHANCE))]
