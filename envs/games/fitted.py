"""The base class of heuristics of shipped games: a few features with fitted weights."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import tanh
from typing import Any, ClassVar

from starspiel.envs.rules import RulesState


def core_heuristic(evaluator: Any, core: Any, state: Any, game: Any) -> Any:
    """The `for_core` of heuristics that the core's models implement."""
    return core.Heuristic()


class FittedHeuristic(ABC):
    """tanh(weights . features): player 0's expected result by logistic regression on played games.

    The weights are those that `benchmarks/fit_heuristics.py` found. Positive features favour player 0;
    swapping the players changes the sign of every feature, and so of the value.
    """

    range = (-1.0, 1.0)
    by_position = True
    name: ClassVar[str]
    weights: ClassVar[tuple[float, ...]]

    def __init__(self, game: Any) -> None:
        self.rules = game

    @abstractmethod
    def features(self, position: Any) -> Sequence[float]:
        """The features of a position that is not terminal, one for each weight."""

    def __call__(self, state: RulesState[Any], /) -> float:
        total = 0.0
        for weight, feature in zip(self.weights, self.features(state.position), strict=True):
            total += weight * feature
        return tanh(total)
