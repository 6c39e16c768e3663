"""Encodes positions as sparse vectors of integers, from the side of the player about to act.

Each encoder has a counterpart in native/encoders with the same inputs: see tests/native/test_encoders.py.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE

#: (input, count) pairs, ascending by input; counts are not zero.
Features = list[tuple[int, int]]


class Encoder(Protocol):
    """Encodes the positions of one game for networks.

    Attributes:
        name, version: identify it in network files; the version increases when the meaning of inputs changes.
        units: the network input for a count of 1, for each input.
    """

    name: str
    version: int
    units: NDArray[np.float32]

    def turn(self, state: Any) -> int:
        """Returns the player about to act, from whose side the position is encoded; at a chance node, the
        next to act.
        """

    def placed(self, state: Any) -> bool:
        """Returns whether all pieces are placed; before that, positions have no inputs."""

    def sees(self, state: Any) -> bool:
        """Returns whether the inputs describe the whole position; False if they omit thrown dice."""

    def encode(self, state: Any) -> Features:
        """Returns the inputs that are not zero."""


class BeforeTheDice:
    """Base class of encoders that do not encode the dice, for games without a placing phase."""

    def __init__(self, game: Any = None) -> None:
        """Accepts a game; the encoder is the same for all its parameters."""

    def turn(self, state: Any) -> int:
        return next_to_act(state)

    def placed(self, state: Any) -> bool:
        return True

    def sees(self, state: Any) -> bool:
        return bool(state.current_player() == CHANCE)


def next_to_act(state: Any) -> int:
    """Returns the player about to act; at a chance node, the one who acts after the first outcome whose
    probability is positive.
    """
    while (player := state.current_player()) == CHANCE:
        state = state.child(next(outcome for outcome, chance in state.chance_outcomes() if chance > 0))
    return int(player)
