"""A linear function of OpenSpiel's observation tensor as an evaluator."""

import math
from collections.abc import Iterable
from typing import Any

from starspiel.envs.errors import StarspielError


class LinearEvaluator:
    """bias + weights . (player 0's observation tensor), clipped to `range`.

    Args:
        weights: one for each entry of the tensor.
        bias: the value of the zero tensor.
        range: (least, greatest) value.

    Raises StarspielError where a weight or the bias is no finite number, or where a state has a tensor of
    another length.
    """

    by_position = True

    def __init__(
        self,
        weights: Iterable[float],
        bias: float = 0.0,
        range: tuple[float, float] = (-1.0, 1.0),
        name: str = "linear",
    ) -> None:
        self.weights = tuple(float(weight) for weight in weights)
        self.bias = float(bias)
        self.range = range
        self.name = name
        if not all(map(math.isfinite, (*self.weights, self.bias, *range))) or range[0] > range[1]:
            raise StarspielError(
                f"{name}: weights, bias and range must be finite numbers, the range in order."
            )

    def check(self, length: int) -> None:
        """Raises StarspielError where the observations of a game are not as long as the weights."""
        if length != len(self.weights):
            raise StarspielError(
                f"{self.name} has {len(self.weights)} weights, but the observation has {length} entries."
            )

    def __call__(self, state: Any, /) -> float:
        observation = state.observation_tensor(0)
        self.check(len(observation))
        # Added up one by one, as the native engine does: sum() rounds differently since Python 3.12.
        value = self.bias
        for weight, entry in zip(self.weights, observation, strict=True):
            value += weight * entry
        return min(max(value, self.range[0]), self.range[1])
