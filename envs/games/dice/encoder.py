"""The network inputs of Dice."""

import numpy as np

from starspiel.envs.games.dice.rules import Dice, DicePosition
from starspiel.envs.games.encoding import Features, PositionEncoder


class DiceEncoder(PositionEncoder):
    """The inputs: each side's stones. For player 1, rows and columns are swapped, so the die names a row."""

    name = "dice"

    def __init__(self, game: Dice) -> None:
        self._size = game.size
        self.units = np.ones(2 * game.size**2, dtype=np.float32)

    def inputs(self, position: DicePosition, turn: int) -> Features:
        size = self._size
        cells = [row * size + column for row in range(size) for column in range(size)]
        if turn == 1:
            cells = [column * size + row for row in range(size) for column in range(size)]
        own, other = position.stones[turn], position.stones[1 - turn]
        return list(enumerate(stones >> cell & 1 for stones in (own, other) for cell in cells))
