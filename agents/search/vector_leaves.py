"""Values the leaves of a search by vectors: every player's return, or the evaluator's estimate."""

import math
import time
from collections.abc import Callable, Iterable
from typing import Any

from starspiel.agents.search.leaves import BudgetSpentError, Leaves
from starspiel.envs.errors import EvaluatorError, shown

#: One expected return per player.
Vector = tuple[float, ...]

#: Tolerance for the sum of an evaluator's vector, relative to its greatest component.
_SUM_TOLERANCE = 1e-9


class VectorLeaves(Leaves):
    """`Leaves` for values that are vectors; the context has the number of players and their sum.

    Raises EvaluatorError if the evaluator raises, returns anything but one number per player in its range, or
    promises a constant sum and misses it.
    """

    def one(self) -> Callable[[Any], Any]:
        context, evaluator = self._context, self._evaluator
        clock, deadline, is_timed = time.perf_counter, self._deadline, self._deadline < math.inf

        def leaf(state: Any) -> Vector:
            if is_timed and clock() >= deadline:
                raise BudgetSpentError
            if state.is_terminal():
                end: Vector = context.utility(state)
                return end
            try:
                returned = evaluator(state)
            except Exception as error:
                raise EvaluatorError(
                    f"evaluator {evaluator.name} raised {type(error).__name__}: {error} at the state\n{state}"
                ) from error
            return self._sound(returned, state)

        return leaf

    def many(self) -> Callable[[list[Any]], list[Any]] | None:
        context, function = self._context, self._batch_values
        if function is None:
            return None

        def leaves(states: list[Any]) -> list[Vector]:
            if self._deadline < math.inf and time.perf_counter() >= self._deadline:
                raise BudgetSpentError
            asked = [state for state in states if not state.is_terminal()]
            returned = iter(zip(function(asked), asked, strict=True) if asked else ())
            return [
                context.utility(state) if state.is_terminal() else self._sound(*next(returned))
                for state in states
            ]

        return leaves

    def _sound(self, returned: Any, state: Any) -> Vector:
        """Returns the evaluator's value of a state as a vector."""
        context = self._context
        vector = as_vector(returned, context.num_players)
        if vector is None or not all(self._low <= value <= self._high for value in vector):
            raise EvaluatorError(
                f"evaluator {self._evaluator.name} returned {shown(returned)}; expected "
                f"{context.num_players} numbers in [{self._low:g}, {self._high:g}] (its range), one return a "
                f"player, at the state\n{state}"
            )
        size = _size(vector)
        if context.constant_sum is not None:
            total = math.fsum(vector)
            if abs(total - context.constant_sum) > _SUM_TOLERANCE * size * len(vector):
                raise EvaluatorError(
                    f"evaluator {self._evaluator.name} returned {shown(returned)}, which sums to "
                    f"{total:.12g}; expected {context.constant_sum:g}, the sum of the game's returns, as its "
                    f"attribute constant_sum promises, at the state\n{state}"
                )
        context.size = max(context.size, size)
        return vector


def as_vector(returned: Any, players: int) -> Vector | None:
    """Converts what an evaluator returned to one number per player; None if it is anything else."""
    try:
        vector = () if isinstance(returned, str) else tuple(map(float, returned))
    except (OverflowError, TypeError, ValueError):
        return None
    return vector if len(vector) == players else None


def _size(numbers: Iterable[float]) -> float:
    """Returns the greatest magnitude of the numbers, but at least 1."""
    return max(1.0, *map(abs, numbers))
