"""One iteration of a search at its root: the values of the actions at one depth."""

from dataclasses import dataclass
from typing import Any

from starspiel.agents.search.engine import SearchEngine
from starspiel.agents.search.result import tie_tolerance


@dataclass(frozen=True, slots=True)
class Iteration:
    """What a search to one depth found at the root.

    Attributes:
        player: who moves at the root.
        values: player 0's expected return of each action searched, from the search's own root on.
        size: the greatest magnitude of a value met, at least 1.
        exact: whether no evaluator was asked, so that a deeper search finds the same.
    """

    player: int
    values: dict[int, float]
    size: float
    exact: bool = False

    @property
    def value(self) -> float:
        return max(self.values.values()) if self.player == 0 else min(self.values.values())

    @property
    def best_actions(self) -> tuple[int, ...]:
        best, tolerance = self.value, tie_tolerance(self.size)
        return tuple(sorted(a for a, v in self.values.items() if abs(v - best) <= tolerance))


def best_at(engine: SearchEngine, state: Any, depth: int) -> Iteration:
    """A search to `depth` plies that finds the best actions of a decision node, and leaves out worse ones.

    Raises BudgetSpentError if a limit of the engine's is met.
    """
    evaluations = engine.evaluations
    values: dict[int, float] = {}
    engine.search_root(state, depth, True, values)
    return Iteration(state.current_player(), values, engine.size, engine.evaluations == evaluations)
