"""The network inputs of the Royal Game of Ur."""

import numpy as np

from starspiel.envs.games.encoding import Features, PositionEncoder
from starspiel.envs.games.royal_game_of_ur.rules import RoyalGameOfUr, UrPosition


class RoyalGameOfUrEncoder(PositionEncoder):
    """The inputs: each side's pieces by square, and how many are home and in hand."""

    _MOST = 7

    def __init__(self, game: RoyalGameOfUr) -> None:
        # The name contains the rule set, because inputs stand for other squares in other rule sets.
        self.name = "royal_game_of_ur" if game.rule_set == "finkel" else f"royal_game_of_ur_{game.rule_set}"
        self._pieces, self._squares = game.pieces, game.home - 1
        self._side = self._squares + 2 * (self._MOST + 1)
        self.units = np.ones(2 * self._side, dtype=np.float32)

    def inputs(self, position: UrPosition, turn: int) -> Features:
        features: Features = []
        for side, player in enumerate((turn, 1 - turn)):
            squares, home = position.squares[player], position.home[player]
            base = side * self._side
            features += [(base + place, squares >> place + 1 & 1) for place in range(self._squares)]
            base += self._squares
            hand = self._pieces - home - squares.bit_count()
            features += [(base + home, 1), (base + self._MOST + 1 + hand, 1)]
        return features
