"""The network inputs of Can't Stop."""

import numpy as np

from starspiel.envs.games.cant_stop.rules import RUNNERS, CantStop, CantStopPosition
from starspiel.envs.games.encoding import Features, PositionEncoder


class CantStopEncoder(PositionEncoder):
    """The inputs: own heights, other heights, runners, columns won, runners left, and the chance to climb."""

    name = "cant_stop"
    _CHANCES = 256

    def __init__(self, game: CantStop) -> None:
        self._rules = game
        self._board = sum(game.lengths)
        self.units = np.ones(3 * self._board + 2 + RUNNERS + 2, dtype=np.float32)
        self.units[-1] = 1 / self._CHANCES

    def inputs(self, position: CantStopPosition, turn: int) -> Features:
        lengths = self._rules.lengths
        features, base, won = [], 0, []
        for heights in (position.heights[turn], position.heights[1 - turn], position.runners):
            won.append(sum(height == length for height, length in zip(heights, lengths, strict=True)))
            for height, length in zip(heights, lengths, strict=True):
                if height:
                    features.append((base + height - 1, 1))
                base += length
        running = len(lengths) - position.runners.count(0)
        features += [(base, won[0]), (base + 1, won[1]), (base + 2 + max(0, RUNNERS - running), 1)]
        every = self._rules.sides**4  # the chance that a throw allows a climb, in 256ths, rounded down
        chance = round(self._rules.chance_to_climb(position, turn) * every) * self._CHANCES // every
        return [*features, (len(self.units) - 1, chance)]
