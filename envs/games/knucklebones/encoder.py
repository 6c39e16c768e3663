"""The network inputs of Knucklebones."""

import numpy as np

from starspiel.envs.games.encoding import Features, PositionEncoder
from starspiel.envs.games.knucklebones.rules import Knucklebones, KnucklebonesPosition, score


class KnucklebonesEncoder(PositionEncoder):
    """The inputs: how many dice of each face, and how many in all, are in each column; and the scores."""

    name = "knucklebones"

    def __init__(self, game: Knucklebones) -> None:
        self._rows, self._sides = game.rows, game.sides
        side = game.columns * (game.sides + 1) * game.rows + 1
        self.units = np.ones(2 * side, dtype=np.float32)
        self.units[side - 1 :: side] = 1 / 32

    def inputs(self, position: KnucklebonesPosition, turn: int) -> Features:
        features, base = [], 0
        for grid in (position.grids[turn], position.grids[1 - turn]):
            for column in grid:
                for count in (*map(column.count, range(1, self._sides + 1)), len(column)):
                    if count:
                        features.append((base + count - 1, 1))
                    base += self._rows
            features.append((base, score(grid)))
            base += 1
        return features
