"""`FittedHeuristic`: the base class of the shipped games' heuristics, which fit weights to a few features."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import tanh
from typing import Any, ClassVar

from starspiel.envs.rules import RulesState


def core_heuristic(evaluator: Any, core: Any, state: Any, game: Any) -> Any:
    """The `for_core` of heuristics that the native core's models implement."""
    return core.Heuristic()


class FittedHeuristic(ABC):
    """tanh(weights . features): player 0's expected result, by logistic regression on played games.

    `benchmarks/fit_heuristics.py` found the weights. Positive features favour player 0. Swapping the players
    changes the sign of each feature, and therefore of the value.
    """

    range = (-1.0, 1.0)
    by_position = True
    name: ClassVar[str]
    weights: ClassVar[tuple[float, ...]]

    def __init__(self, game: Any) -> None:
        self.rules = game

    @abstractmethod
    def features(self, position: Any) -> Sequence[float]:
        """Returns the features of a position that is not terminal, one for each weight."""

    def __call__(self, state: RulesState[Any], /) -> float:
        total = 0.0
        for weight, feature in zip(self.weights, self.features(state.position), strict=True):
            total += weight * feature
        return tanh(total)
