"""Defines the protocol of evaluators, which estimate player 0's expected return without search."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from starspiel.agents.evaluators.depth_fit import DepthFit
from starspiel.envs.base import Game
from starspiel.envs.errors import EvaluatorError, shown
from starspiel.envs.outlook import Outlook, outlook


class Evaluator(Protocol):
    """Values the states at a search's horizon, including chance nodes (before the roll).

    A good evaluator is a positive linear function of the chance to win: under chance nodes, a transformation
    that only preserves the order of values changes the chosen move (Russell & Norvig, "Stochastic games").

    Attributes:
        name: its spec, as results and records show it.
        range: (least, greatest) value that it returns, infinite if there is no such bound. None stands for
            the game's `utility_range` (for any number if rewards are paid on the way). Search prunes on a
            finite range, and refuses values that are outside it or infinite.

    In games whose values are vectors (`has_vector_values`), a value is a sequence of floats, each player's
    return, and `range` bounds each of them. `constant_sum = True` promises that they always add up to the
    game's `utility_sum`. Searches of such games then prune more, and refuse a vector that breaks the promise.

    Optional members:

    - `by_position = True` declares that equal positions have equal values, however they were reached. Without
      it, tables, merging and ordering are off.
    - `ranks_only = True` declares that values are on a scale of their own, so that they are not shown to
      people as returns, points or losses.
    - `uncalibrated = True` declares that values are rough estimates of the return; they are shown as such.
    - `batch_values(states)` values a list of states that are not terminal. Searches then pass all successors
      of a position at once.
    - `small` is a cheaper evaluator of the same game, by which move filters choose the moves that this one
      values on the last ply. Its method `sees(state)` returns False if both value a state by the best of its
      moves.
    - `depth_fits`, triples of numbers as in `DepthFit`, describe how values change from one depth to the
      next, from depth 2 on; `probcut` needs them.
    - `chances(state)` returns the chance of each return of player 0, or None if it does not know them.
    - `for_core` declares the native core's counterpart: see `core_counterpart`.
    """

    @property
    def name(self) -> str: ...
    @property
    def range(self) -> tuple[float, float] | None: ...

    def __call__(self, state: Any, /) -> Any:
        """Returns player 0's expected return of the whole game: `state.returns()[0]` plus the return to come.

        In games whose values are vectors, returns every player's.

        In searches of environments, and of discounted games, nothing has been collected at the root.
        """


def chances_after(evaluator: Evaluator, state: Any, action: int) -> dict[float, float] | None:
    """Returns the probability of each return of player 0 after an action; None if the evaluator does not know
    them.
    """
    tell: Callable[[Any], dict[float, float] | None] | None = getattr(evaluator, "chances", None)
    return None if tell is None else tell(state.child(action))


def value_range(evaluator: Evaluator, game: Game) -> tuple[float, float] | None:
    """Returns the range in which an evaluator's values must lie; None if any number is allowed.

    This is the declared range, else the game's utility range unless rewards are paid on the way. Raises
    EvaluatorError if the declared range is not two numbers in order.
    """
    declared: Any = evaluator.range
    if declared is None:
        return None if game.step_rewards else game.utility_range
    try:
        low, high = (math.nan, math.nan) if isinstance(declared, str) else map(float, declared)
    except (OverflowError, TypeError, ValueError):
        low = high = math.nan
    if not low <= high or low == math.inf or high == -math.inf:
        raise EvaluatorError(
            f"evaluator {evaluator.name}: range must be None or (least, greatest), two numbers in order, "
            f"got {shown(declared)}."
        )
    return low, high


def outlook_of(evaluator: Any, game: Game) -> Outlook:
    """Returns the game's outlook; without points and winning chances if the evaluator's values only rank
    positions.
    """
    told = outlook(game)
    if told.is_chance and getattr(evaluator, "uncalibrated", False):
        told = replace(told, word=f"estimated {told.word}")
    return replace(told, word="value", points=1.0) if getattr(evaluator, "ranks_only", False) else told


def batch_values(evaluator: Evaluator) -> Callable[[list[Any]], Sequence[float]] | None:
    """Returns the function that values many states in one call, or None."""
    many: Callable[[list[Any]], Sequence[float]] | None = getattr(evaluator, "batch_values", None)
    return many


def for_search(evaluator: Evaluator, state: Any, depth: int) -> Evaluator:
    """Returns an equivalent evaluator for a search of `depth` plies from a state. It is the result of the
    evaluator's method `within(state, depth)`, which may drop knowledge of positions out of reach, or the
    evaluator.
    """
    narrowed: Callable[[Any, int], Evaluator] | None = getattr(evaluator, "within", None)
    return evaluator if narrowed is None else narrowed(state, depth)


def core_counterpart(evaluator: Evaluator, core: Any, state: Any, game: Game) -> Any | None:
    """Returns the native core's counterpart of the evaluator, for `state` and what follows; None if there is
    none.

    A class declares it by a method `for_core(core, state, game)`. Subclasses do not inherit it, since they
    may return other values.
    """
    declared = vars(type(evaluator)).get("for_core")
    return None if declared is None else declared(evaluator, core, state, game)


_Counterpart = Callable[[Any, Any, Any, Game], Any]


def made_once(make: _Counterpart) -> _Counterpart:
    """Caches the result of a slow `for_core` for the evaluator's lifetime."""
    made: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    @functools.wraps(make)
    def kept(evaluator: Any, core: Any, state: Any, game: Game) -> Any:
        if evaluator not in made:
            made[evaluator] = make(evaluator, core, state, game)
        return made[evaluator]

    return kept


def has_constant_sum(evaluator: Evaluator) -> bool:
    """Returns whether the evaluator promises vectors that add up to the sum of the game's returns."""
    return getattr(evaluator, "constant_sum", False) is True


def small_of(evaluator: Evaluator) -> Any | None:
    """Returns the small evaluator by which move filters choose; None if the evaluator has none."""
    return getattr(evaluator, "small", None)


def depth_fits_of(evaluator: Evaluator) -> tuple[DepthFit, ...]:
    """Returns how values change with depth, from depth 2 on; () if the evaluator does not know.

    Raises EvaluatorError for values that `DepthFit` does not accept.
    """
    told = getattr(evaluator, "depth_fits", ())
    try:
        return tuple(map(DepthFit.of, told))
    except (TypeError, ValueError):
        raise EvaluatorError(
            f"{evaluator.name}: depth_fits are triples of a slope above 0, an offset and an error of at "
            f"least 0, got {shown(told)}."
        ) from None


def by_position(evaluator: Evaluator) -> bool:
    """Returns whether the evaluator declares that equal positions have equal values."""
    return getattr(evaluator, "by_position", False) is True


def not_by_position(evaluator: Evaluator, off: str) -> str:
    """Returns the note of a search in which `off`, e.g. "the table is", is off due to the evaluator."""
    if hasattr(evaluator, "seeded"):
        return f"{evaluator.name} values a position differently every time, so {off} off."
    return (
        f"{evaluator.name} may value equal positions differently, so {off} off; if its values depend on the "
        "position alone, say so: FunctionEvaluator(function, by_position=True), or the attribute by_position."
    )


def function_name(function: Any, name: Any, expected: str) -> str:
    """Returns the name of an evaluator made from a function. Raises EvaluatorError if it is not callable, or
    if the name is not a string.
    """
    if not callable(function):
        raise EvaluatorError(f"expected a function of {expected}, got {shown(function)}.")
    if name is not None and not isinstance(name, str):
        raise EvaluatorError(f"expected the evaluator's name as text, got {shown(name)}.")
    return name or str(getattr(function, "__name__", type(function).__name__))


class FunctionEvaluator:
    """Wraps a function as an evaluator; `range` defaults to the game's utility range.

    `by_position`: whether equal positions have equal values. This is not so if, for example, the function
    counts its calls or draws random numbers.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        name: str | None = None,
        range: tuple[float, float] | None = None,
        by_position: bool = False,
    ) -> None:
        self.name = function_name(function, name, "a state")
        self.function, self.range, self.by_position = function, range, by_position

    def __call__(self, state: Any, /) -> Any:
        return self.function(state)
