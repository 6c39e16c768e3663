"""The network inputs of the Royal Game of Ur."""

import numpy as np

from starspiel.envs.games.encoding import Features, PositionEncoder
from starspiel.envs.games.royal_game_of_ur.rules import RoyalGameOfUr, UrPosition


class RoyalGameOfUrEncoder(PositionEncoder):
    """Each side's pieces by square, how many are home, and how many in hand."""

    name = "royal_game_of_ur"
    _SQUARES, _MOST = 14, 7
    _SIDE = _SQUARES + 2 * (_MOST + 1)
    units = np.ones(2 * _SIDE, dtype=np.float32)

    def __init__(self, game: RoyalGameOfUr) -> None:
        self._pieces = game.pieces

    def inputs(self, position: UrPosition, turn: int) -> Features:
        features: Features = []
        for side, player in enumerate((turn, 1 - turn)):
            squares, home = position.squares[player], position.home[player]
            base = side * self._SIDE
            features += [(base + place, squares >> place + 1 & 1) for place in range(self._SQUARES)]
            base += self._SQUARES
            hand = self._pieces - home - squares.bit_count()
            features += [(base + home, 1), (base + self._MOST + 1 + hand, 1)]
        return features
