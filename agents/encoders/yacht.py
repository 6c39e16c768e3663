"""Encodes yacht for networks."""

from typing import Any

import numpy as np

from starspiel.agents.encoders.base import BeforeTheDice, Features
from starspiel.agents.solve.yacht import view
from starspiel.envs.openspiel.game import OpenSpielGame


class YachtEncoder(BeforeTheDice):
    """Filled categories, totals and their difference, throws so far, and the number of dice of each face."""

    name = "yacht"
    version = 1
    _CATEGORIES = 12
    _TOTALS = 2 * _CATEGORIES
    _THROWS = _TOTALS + 3
    _MOST_THROWS = 3
    _FACES = _THROWS + _MOST_THROWS

    def __init__(self, game: OpenSpielGame) -> None:
        parameters = game.pyspiel_game.get_parameters()
        self._dice = int(parameters["num_dice"])
        self.units = np.ones(self._FACES + self._dice * int(parameters["dice_sides"]), dtype=np.float32)
        self.units[self._TOTALS : self._THROWS] = 1 / 50

    def turn(self, state: Any) -> int:
        return view(state).turn

    def encode(self, state: Any) -> Features:
        seen = view(state)
        sides = (seen.turn, 1 - seen.turn)
        features: Features = [
            (side * self._CATEGORIES + category, 1)
            for side, player in enumerate(sides)
            for category in range(self._CATEGORIES)
            if seen.filled[player] >> category & 1
        ]
        own, other = (seen.totals[player] for player in sides)
        totals = enumerate((own, other, own - other))
        features += [(self._TOTALS + place, total) for place, total in totals if total]
        features.append((self._THROWS + min(seen.thrown, self._MOST_THROWS - 1), 1))
        return features + [
            (self._FACES + (face - 1) * self._dice + seen.dice.count(face) - 1, 1)
            for face in sorted(set(seen.dice))
        ]
