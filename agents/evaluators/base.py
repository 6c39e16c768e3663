"""What an evaluator is: player 0's expected return from a state, guessed without search."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from starspiel.envs.base import Game


@runtime_checkable
class Evaluator(Protocol):
    """Values the states at a search's horizon, chance nodes (before the roll) included.

    A good one is a positive linear function of the chance to win: under chance nodes a transformation that
    merely keeps the order of values changes the chosen move (Russell & Norvig, "Stochastic games").

    Attributes:
        name: its spec, as results and records show it.
        range: (least, greatest) value it returns, or None for the game's `utility_range` (for any number
            where rewards are paid on the way). Search prunes on it, and refuses a value outside.
    """

    @property
    def name(self) -> str: ...
    @property
    def range(self) -> tuple[float, float] | None: ...

    def __call__(self, state: Any, /) -> float:
        """Player 0's expected return of playing on from `state` (what is collected already included)."""


def value_range(evaluator: Evaluator, game: Game) -> tuple[float, float] | None:
    """The range an evaluator's values must lie in; None where any number may.

    That is the declared one, else the game's utility range. Where rewards are paid on the way a return that
    is collected in part may lie outside the range of final ones, so it does not serve there.
    """
    if evaluator.range is not None:
        return evaluator.range
    return None if game.step_rewards else game.utility_range


class FunctionEvaluator:
    """A plain function as an evaluator, with values inside the game's utility range unless told otherwise."""

    def __init__(
        self,
        function: Callable[[Any], float],
        name: str | None = None,
        range: tuple[float, float] | None = None,
    ) -> None:
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.range = range

    def __call__(self, state: Any, /) -> float:
        return self.function(state)
