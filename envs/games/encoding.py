"""`PositionEncoder`: the base class of the shipped games' encoders."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE
from starspiel.envs.rules import RulesState

#: (input, count), ascending by input.
Features = list[tuple[int, int]]


class PositionEncoder(ABC):
    """An `Encoder` of positions that have a `mover`.

    In games with a throw before each move, it encodes positions before the throw.
    """

    name: str
    version = 1
    units: NDArray[np.float32]

    def turn(self, state: RulesState[Any]) -> int:
        mover: int = state.position.mover
        return mover

    def placed(self, state: RulesState[Any]) -> bool:
        return True

    def sees(self, state: RulesState[Any]) -> bool:
        return state.current_player() == CHANCE

    def encode(self, state: RulesState[Any]) -> Features:
        listed = self.inputs(state.position, self.turn(state))
        return [(at, count) for at, count in listed if count]

    @abstractmethod
    def inputs(self, position: Any, turn: int) -> Features:
        """Returns the inputs from the side of player `turn`, ascending by input; counts may be 0."""
