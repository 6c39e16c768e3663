"""Encodes maedn for networks."""

from typing import Any

import numpy as np

from starspiel.agents.encoders.base import BeforeTheDice, Features
from starspiel.agents.evaluators.heuristics.maedn import fields_walked
from starspiel.envs.openspiel.game import OpenSpielGame


class MaednEncoder(BeforeTheDice):
    """The fields of each side's pieces, how many are at home, and by how many pieces each may be captured.

    Fields are counted from the side's own start. A piece may be captured by the other side's pieces that
    stand up to six fields behind it (in one roll), or seven to twelve (in two). Those at home count as one
    piece, six fields before its start.
    """

    name = "maedn"
    version = 2
    _FIELDS, _COMMON, _ROLL = 44, 40, 6
    _NEAR = _FIELDS + 4
    _FAR = _NEAR + _COMMON
    _SIDE = _FAR + _COMMON
    units = np.ones(2 * _SIDE, dtype=np.float32)

    def __init__(self, game: OpenSpielGame) -> None:
        opposite = game.pyspiel_game.get_parameters()["twoPlayersOpposite"]
        seats = (0, 2 if opposite else 1)
        self._walked = tuple(map(fields_walked, seats))
        self._shift = (10 * (seats[0] - seats[1]), 10 * (seats[1] - seats[0]))

    def encode(self, state: Any) -> Features:
        turn = self.turn(state)
        text = str(state)
        pieces = [
            sorted(way[at] - 1 for at in way if text[at] == seen)
            for way, seen in zip(self._walked, "12", strict=True)
        ]
        features: Features = []
        for side, player in enumerate((turn, 1 - turn)):
            own, others = pieces[player], pieces[1 - player]
            first = side * self._SIDE
            features += [(first + field, 1) for field in own]
            if len(own) < 4:
                features.append((first + self._FIELDS + 3 - len(own), 1))
            coming = others if len(others) == 4 else [-self._ROLL, *others]
            for start, reach in ((self._NEAR, 1), (self._FAR, 1 + self._ROLL)):
                for field in own:
                    if field < self._COMMON:
                        met = (field + self._shift[player]) % self._COMMON
                        behind = sum(reach <= met - other < reach + self._ROLL for other in coming)
                        features += [(first + start + field, behind)] if behind else []
        return features
