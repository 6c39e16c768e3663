"""The network inputs of backgammon."""

from typing import Any

import numpy as np

from starspiel.agents.encoders.base import BeforeTheDice, Features
from starspiel.envs.base import CHANCE


class BackgammonEncoder(BeforeTheDice):
    """Tesauro's four inputs a point and side (1995), bars, men off, pips, and whether there is contact."""

    name = "backgammon"
    version = 1
    _SIDE = 24 * 4 + 3
    units = np.array(([1, 1, 1, 0.5] * 24 + [0.5, 1 / 15, 1 / 100]) * 2 + [1], dtype=np.float32)

    def sees(self, state: Any) -> bool:
        # The opening roll decides who begins.
        return bool(state.current_player() == CHANCE and state.move_number() > 0)

    def encode(self, state: Any) -> Features:
        turn = self.turn(state)
        observed = state.observation_tensor(0)
        features: Features = []
        reach = 0  # how far the farthest men of both sides have to go
        for side, player in enumerate((turn, 1 - turn)):
            base = side * self._SIDE
            bar, off = int(observed[192 + 3 * player]), int(observed[193 + 3 * player])
            pips, farthest = 25 * bar, 25 if bar else 0
            for distance in range(1, 25):
                men = state.board(player, 24 - distance if player == 0 else distance - 1)
                if men == 0:
                    continue
                pips += distance * men
                farthest = max(farthest, distance)
                first = base + 4 * (distance - 1)
                features.append((first + min(men, 3) - 1, 1))
                if men > 3:
                    features.append((first + 3, men - 3))
            features += [(base + 96, bar)] * (bar > 0) + [(base + 97, off)] * (off > 0)
            features.append((base + 98, pips))
            reach += farthest
        return [*features, (2 * self._SIDE, 1)] if reach > 25 else features
