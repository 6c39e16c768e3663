"""Encodes pig for networks."""

from typing import Any

import numpy as np

from starspiel.agents.encoders.base import BeforeTheDice, Features
from starspiel.envs.base import CHANCE
from starspiel.envs.openspiel.game import OpenSpielGame


class PigEncoder(BeforeTheDice):
    """Scores, the turn total, and the score after stopping, in twentieths of the goal and as numbers."""

    name = "pig"
    version = 1
    _STEPS = 20
    _ROLLING = 4 * (_STEPS + 1)
    _MOST = 32767

    def __init__(self, game: OpenSpielGame) -> None:
        self._goal: int = game.pyspiel_game.get_parameters()["winscore"]
        number = np.append(np.ones(self._STEPS, np.float32), np.float32(1) / np.float32(self._goal))
        self.units = np.append(np.tile(number, 4), np.float32(1))

    def turn(self, state: Any) -> int:
        return int(str(state).partition("Current player: ")[2][0])

    def sees(self, state: Any) -> bool:
        return True

    def encode(self, state: Any) -> Features:
        text = str(state)
        scores, total = text.partition("\n")[0].removeprefix("Scores: ").split(", Turn total: ")
        points = [int(score) for score in scores.split()]
        turn = self.turn(state)
        own, other, more = points[turn], points[1 - turn], int(total)
        features: Features = []
        for place, number in enumerate((own, other, more, own + more)):
            base, count = place * (self._STEPS + 1), min(max(number, 0), self._MOST)
            features.append((base + min(self._STEPS - 1, count * self._STEPS // self._goal), 1))
            if count:
                features.append((base + self._STEPS, count))
        return [*features, (self._ROLLING, 1)] if state.current_player() == CHANCE else features
