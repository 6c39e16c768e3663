"""Applies an evaluator to states that contain the state it knows."""

from typing import Any

from starspiel.agents.evaluators.base import (
    Evaluator,
    batch_values,
    depth_fits_of,
    has_constant_sum,
    small_of,
)


class UnwrappingEvaluator:
    """Values drawn or recorded states by the `state` that they contain.

    `by_position` applies to the outer states.
    """

    def __init__(self, evaluator: Evaluator, by_position: bool = False) -> None:
        self.name, self.range, self.by_position = evaluator.name, evaluator.range, by_position
        self.constant_sum = has_constant_sum(evaluator)
        self._evaluator = evaluator
        many = batch_values(evaluator)
        if many is not None:
            self.batch_values = lambda states: many([outer.state for outer in states])
        small = small_of(evaluator)
        self.small = None if small is None else UnwrappingEvaluator(small, by_position)
        self.depth_fits = depth_fits_of(evaluator)

    def sees(self, outer: Any) -> bool:
        """Returns what `sees` of the inner evaluator returns, for use as a `small` evaluator."""
        return bool(self._evaluator.sees(outer.state))  # type: ignore[attr-defined]

    def __call__(self, state: Any, /) -> Any:
        return self._evaluator(state.state)
