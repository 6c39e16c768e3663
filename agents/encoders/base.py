"""What a network sees of a position: a sparse vector of whole numbers, by the side of who is about to act.

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
    """What a network sees of the positions of one game.

    Attributes:
        name, version: what files of networks name; a change of meaning raises the version.
        units: what one count of each input is worth to the network.
    """

    name: str
    version: int
    units: NDArray[np.float32]

    def turn(self, state: Any) -> int:
        """The player about to act, by whose side the position is seen; at a chance node who acts next."""

    def placed(self, state: Any) -> bool:
        """Whether chance is done with placing the pieces; before, a network knows nothing."""

    def sees(self, state: Any) -> bool:
        """Whether the inputs tell all of the position; False if dice lie that they omit."""

    def encode(self, state: Any) -> Features:
        """The inputs that are not zero."""


class BeforeTheDice:
    """Of games whose pieces stand from the beginning, and whose dice are not among the inputs."""

    def __init__(self, game: Any = None) -> None:
        """All forms of the game are seen alike."""

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
