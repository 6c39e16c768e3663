"""Holds one iteration of a search at its root: the values of the actions at one depth."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starspiel.agents.search.engines import SearchEngine
from starspiel.agents.search.result import tie_tolerance
from starspiel.agents.search.vector_leaves import Vector


@dataclass(frozen=True, slots=True)
class Iteration:
    """What a search to one depth found at the root.

    Attributes:
        player: the player to move at the root.
        values: the expected return to go of each action searched, for the engine's `perspective`, or for
            `player` if values are vectors.
        size: the greatest magnitude of a value met, at least 1.
        exact: whether no evaluator was called, so that a deeper search would return the same values.
        maximises: whether `player` wants the greatest value.
        vectors: every player's expected return of each action; None unless values are vectors.
    """

    player: int
    values: Mapping[int, float]
    size: float
    exact: bool = False
    maximises: bool = True
    vectors: Mapping[int, Vector] | None = None

    @classmethod
    def of(
        cls, engine: SearchEngine, player: int, found: Mapping[int, Any], exact: bool = False
    ) -> "Iteration":
        """Returns the iteration of an engine that found these values at a root at which `player` moves."""
        if not isinstance(next(iter(found.values()), None), tuple):
            return cls(player, found, engine.size, exact, player == engine.perspective)
        own = {action: vector[player] for action, vector in found.items()}
        return cls(player, own, engine.size, exact, vectors=found)

    @property
    def value(self) -> float:
        return max(self.values.values()) if self.maximises else min(self.values.values())

    @property
    def best_actions(self) -> tuple[int, ...]:
        best, tolerance = self.value, tie_tolerance(self.size)
        return tuple(sorted(a for a, v in self.values.items() if abs(v - best) <= tolerance))

    def better_first(self) -> list[int]:
        """Returns the actions, those best for the player first."""
        return sorted(self.values, key=lambda action: self.values[action], reverse=self.maximises)


def best_at(engine: SearchEngine, state: Any, depth: int) -> Iteration:
    """Searches a decision node to `depth` plies for its best actions; worse ones may be pruned.

    Raises BudgetSpentError if the engine reaches a limit.
    """
    evaluations = engine.evaluations
    values: dict[int, Any] = {}
    engine.search_root(state, depth, 0.0, values)
    return Iteration.of(engine, state.current_player(), values, engine.evaluations == evaluations)
