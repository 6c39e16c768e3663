"""Encoders turn a position into a sparse vector of integers, from the side of the player about to act.

Each encoder has a counterpart in native/encoders, input for input: tests/native/test_encoders.py.
"""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE

#: (input, count), ascending by input; counts are not zero.
Features = list[tuple[int, int]]


@runtime_checkable
class Encoder(Protocol):
    """Encodes the positions of one game for networks.

    Attributes:
        name, version: identification in network files; the version increases when the meaning changes.
        units: the network input for a count of 1, of each input.
    """

    name: str
    version: int
    units: NDArray[np.float32]

    def turn(self, state: Any) -> int:
        """The player about to act, from whose side the position is encoded; at a chance node the next to
        act.
        """

    def placed(self, state: Any) -> bool:
        """Whether all pieces are placed; before that, positions have no inputs."""

    def sees(self, state: Any) -> bool:
        """Whether the inputs describe the whole position; False if they omit thrown dice."""

    def encode(self, state: Any) -> Features:
        """The non-zero inputs."""


class BeforeTheDice:
    """Base of encoders of games without a placing phase that do not encode the dice."""

    def __init__(self, game: Any = None) -> None:
        """The same for all parameters of the game."""

    def turn(self, state: Any) -> int:
        return next_to_act(state)

    def placed(self, state: Any) -> bool:
        return True

    def sees(self, state: Any) -> bool:
        return bool(state.current_player() == CHANCE)


def next_to_act(state: Any) -> int:
    """The player about to act; at a chance node the one who acts after the first outcome of some chance."""
    while (player := state.current_player()) == CHANCE:
        state = state.child(next(outcome for outcome, chance in state.chance_outcomes() if chance > 0))
    return int(player)
