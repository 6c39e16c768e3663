"""Encodes einstein_wurfelt_nicht for networks."""

from typing import Any

import numpy as np

from starspiel.agents.encoders.base import BeforeTheDice, Features


class EinsteinEncoder(BeforeTheDice):
    """The square of each stone, with the board turned so that the player about to roll moves to the last
    square.
    """

    name = "einstein_wurfelt_nicht"
    version = 1
    _SQUARES, _STONES = 25, 6
    _SIDE = _STONES * (_SQUARES + 1)
    units = np.ones(2 * _SIDE, dtype=np.float32)

    def placed(self, state: Any) -> bool:
        return bool(state.move_number() > 1)  # The first two outcomes place the stones.

    def sees(self, state: Any) -> bool:
        return super().sees(state) and self.placed(state)

    def encode(self, state: Any) -> Features:
        turn = self.turn(state)
        text = str(state)
        squares = [[self._SQUARES] * self._STONES for _ in range(2)]
        for square in range(self._SQUARES):
            # A square is four characters, and a row ends with a line feed.
            place = square * 4 + square // 5 + 1
            owner = "bw".find(text[place])
            if owner >= 0:
                squares[owner][int(text[place + 1]) - 1] = square if turn == 0 else self._SQUARES - 1 - square
        return [
            (side * self._SIDE + stone * (self._SQUARES + 1) + square, 1)
            for side, player in enumerate((turn, 1 - turn))
            for stone, square in enumerate(squares[player])
        ]
