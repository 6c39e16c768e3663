"""Encodes OpenSpiel games for networks by their observation tensor."""

from typing import Any

import numpy as np

from starspiel.agents.encoders.base import BeforeTheDice, Features
from starspiel.envs.errors import SpecError
from starspiel.envs.openspiel.game import OpenSpielGame

#: The most inputs of an observation: the native core numbers them with 16 bits.
_MOST = 65535


class ObservationEncoder(BeforeTheDice):
    """The observation tensor of the player about to act, in 256ths, and whether that is the second player.

    With more than two players, one entry per player shows which of them it is. Entries beyond ±128 count as
    ±128. Raises SpecError if the tensor is too large.
    """

    name = "observation"
    version = 1

    def __init__(self, game: OpenSpielGame) -> None:
        self._size: int = game.pyspiel_game.observation_tensor_size()
        if self._size > _MOST:
            raise SpecError(
                f"{game.name} has an observation tensor of {self._size:,} entries; "
                f"networks see at most {_MOST:,}. Use heuristic, rollout or zero."
            )
        self._players = game.num_players
        whose = np.ones(self._players if self._players > 2 else 1, np.float32)
        self.units = np.append(np.full(self._size, 1 / 256, dtype=np.float32), whose)

    def turn(self, state: Any) -> int:
        return int(state.current_player())

    def sees(self, state: Any) -> bool:
        return bool(state.current_player() >= 0)

    def encode(self, state: Any) -> Features:
        turn = self.turn(state)
        counts = np.rint(np.clip(np.array(state.observation_tensor(turn)) * 256, -32768, 32767)).astype(int)
        features = [(int(at), int(counts[at])) for at in np.flatnonzero(counts)]
        if self._players > 2:
            return [*features, (self._size + turn, 1)]
        return [*features, (self._size, 1)] if turn == 1 else features
