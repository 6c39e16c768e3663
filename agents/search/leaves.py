"""Values read off at the leaves of a search: returns at the end of the game, the evaluator's elsewhere."""

import math
import sys
import time
from collections.abc import Callable
from numbers import Real
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, FunctionEvaluator, batch_values
from starspiel.envs.errors import EvaluatorError, shown


class BudgetSpentError(Exception):
    """The node or time limit ended the search. Caught by the driver, never seen by a user."""


class Leaves:
    """What reads off values for a SearchContext; it stops a search after its deadline.

    Args:
        values: the range that the evaluator's must lie in; None for any number.

    Raises EvaluatorError if the evaluator does or leaves its range.
    """

    def __init__(
        self, context: Any, evaluator: Evaluator, values: tuple[float, float] | None, deadline: float
    ) -> None:
        low, high = values or (-math.inf, math.inf)
        # An infinite end of a range bounds nothing; a value is finite all the same.
        self._low, self._high = max(low, -sys.float_info.max), min(high, sys.float_info.max)
        self._context, self._evaluator, self._deadline = context, evaluator, deadline
        self._batch_values = batch_values(evaluator)

    def one(self) -> Callable[[Any], float]:
        """The value of a state: a closure, because it is the innermost call of every search."""
        context, evaluator, low, high = self._context, self._evaluator, self._low, self._high
        function = evaluator.function if isinstance(evaluator, FunctionEvaluator) else evaluator
        clock, deadline, is_timed = time.perf_counter, self._deadline, self._deadline < math.inf

        def leaf(state: Any) -> float:
            if is_timed and clock() >= deadline:
                raise BudgetSpentError
            if state.is_terminal():
                end: float = context.utility(state)
                return end
            try:
                returned = function(state)
                value = returned if type(returned) is float else _number(returned)
                if low <= value <= high:
                    if not -1.0 <= value <= 1.0 and abs(value) > context.size:
                        context.size = abs(value)
                    return value
            except Exception as error:
                raise EvaluatorError(
                    f"evaluator {evaluator.name} raised {type(error).__name__}: {error} at the state\n{state}"
                ) from error
            raise self._outside(returned, state)

        return leaf

    def many(self) -> Callable[[list[Any]], list[float]] | None:
        """The values of several states at once; None if the evaluator values one after the other."""
        context, function = self._context, self._batch_values
        if function is None:
            return None

        def leaves(states: list[Any]) -> list[float]:
            if self._deadline < math.inf and time.perf_counter() >= self._deadline:
                raise BudgetSpentError
            values = [context.utility(state) if state.is_terminal() else math.nan for state in states]
            asked = [i for i, value in enumerate(values) if math.isnan(value)]
            if asked:
                for i, value in zip(asked, function([states[i] for i in asked]), strict=True):
                    if not self._low <= value <= self._high:
                        raise self._outside(value, states[i])
                    context.size = max(context.size, abs(value))
                    values[i] = value
            return values

        return leaves

    def _outside(self, returned: Any, state: Any) -> EvaluatorError:
        return EvaluatorError(
            f"evaluator {self._evaluator.name} returned {shown(returned)}; expected a number in "
            f"[{self._low:g}, {self._high:g}] (its range) at the state\n{state}"
        )


def _number(returned: Any) -> float:
    """What an evaluator returned as a float; NaN, which no range holds, if it is not one number."""
    if not isinstance(returned, Real) and getattr(returned, "ndim", None) != 0:
        return math.nan
    try:
        return float(returned)
    except (OverflowError, TypeError, ValueError):
        return math.nan
