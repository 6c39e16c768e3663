"""What an evaluator is: player 0's expected return from a state, guessed without search."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Evaluator(Protocol):
    """Values the states at a search's horizon, chance nodes (before the roll) included.

    A good one is a positive linear function of the chance to win: under chance nodes a transformation that
    merely keeps the order of values changes the chosen move (Russell & Norvig, "Stochastic games").

    Attributes:
        name: its spec, as results and records show it.
        range: (least, greatest) value it returns, or None for the game's `utility_range`. Search prunes on
            it, and refuses a value outside.
    """

    @property
    def name(self) -> str: ...
    @property
    def range(self) -> tuple[float, float] | None: ...

    def __call__(self, state: Any, /) -> float:
        """Player 0's expected return of playing on from `state` (what is collected already included)."""


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
