"""Values the leaves of a search: terminal states by their returns, all others by the evaluator."""

import math
import sys
import time
from collections.abc import Callable
from numbers import Real
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, FunctionEvaluator, batch_values
from starspiel.envs.errors import EvaluatorError, shown


class BudgetSpentError(Exception):
    """A node or time limit ended the search; never leaves the driver."""


class Leaves:
    """Values the leaves of a SearchContext, and stops the search after its deadline.

    Args:
        values: the range of the evaluator; None for any finite number.

    Raises EvaluatorError if the evaluator raises an exception or returns a value outside its range.
    """

    def __init__(
        self, context: Any, evaluator: Evaluator, values: tuple[float, float] | None, deadline: float
    ) -> None:
        low, high = values or (-math.inf, math.inf)
        # Values are finite even if an end of the range is infinite.
        self._low, self._high = max(low, -sys.float_info.max), min(high, sys.float_info.max)
        self._context, self._evaluator, self._deadline = context, evaluator, deadline
        self._batch_values = batch_values(evaluator)

    def one(self) -> Callable[[Any], float]:
        """Returns the function that values a state. It is a closure, because searches call it most often."""
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
        """Returns the function that values several states in one call; None if the evaluator cannot."""
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
    """Converts what an evaluator returned to a float; to NaN, which is in no range, unless it is a number."""
    if not isinstance(returned, Real) and getattr(returned, "ndim", None) != 0:
        return math.nan
    try:
        return float(returned)
    except (OverflowError, TypeError, ValueError):
        return math.nan
