"""Provides the Python engine for games whose values are vectors: max^n, with and without pruning."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, has_constant_sum, value_range
from starspiel.agents.search.engine import PythonEngine
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.maxn import MaxnContext, maxn
from starspiel.agents.search.options import Options
from starspiel.agents.search.result import tie_tolerance
from starspiel.agents.search.star import CUT_TOLERANCE
from starspiel.agents.search.table import VectorTable
from starspiel.agents.search.vector_leaves import VectorLeaves
from starspiel.envs.base import Game, utility_sum


class MaxnEngine(MaxnContext, PythonEngine):
    """Max^n over any State: `search_root` and `evaluate` give vectors of one expected return per player.

    "expectiminimax" is max^n without pruning; "star1" and "star2" are both max^n with pruning.
    """

    reader = VectorLeaves

    def __init__(
        self,
        evaluator: Evaluator,
        game: Game,
        limits: Limits,
        options: Options,
        vectors: VectorTable | None = None,
    ) -> None:
        self.num_players = game.num_players
        self.constant_sum = utility_sum(game) if has_constant_sum(evaluator) else None
        super().__init__(evaluator, game, limits, options)
        self.vectors = vectors
        self.hands_floors = options.prunes and self.bounded
        self.total = _greatest_sum(evaluator, game) if self.hands_floors else math.inf
        others = (game.num_players - 1) * self.lower
        self.most = min(self.upper, self.total - others) if self.hands_floors else math.inf

    def search_root(
        self, state: Any, depth: int, margin: float, values: dict[int, Any], first: Sequence[int] = ()
    ) -> None:
        self.nodes += 1
        self.interior += 1
        player = state.current_player()
        floor = -math.inf
        actions = [*first, *(action for action in state.legal_actions() if action not in first)]
        leaves = self.leaves if depth == 1 else None
        if leaves is not None:
            self.nodes += len(actions)
            known = leaves([state.child(action) for action in actions])
        visit: Callable[..., Any] = self.visit or maxn
        for i, action in enumerate(actions):
            vector = known[i] if leaves else visit(state.child(action), depth - 1, player, floor, self)
            if vector[player] > floor + CUT_TOLERANCE and all(map(math.isfinite, vector)):
                values[action] = vector
                if self.hands_floors:
                    floor = max(floor, vector[player] - margin - 2 * tie_tolerance(self.size))

    def with_limits(self, limits: Limits) -> "MaxnEngine":
        return MaxnEngine(self._evaluator, self._game, limits, self.options, self.vectors)

    def evaluate(self, state: Any) -> Any:
        return self.with_limits(Limits(depth=1)).leaf(state)


def maxn_notes(game: Game, evaluator: Evaluator, options: Options) -> tuple[str, ...]:
    """Returns the result's notes about pruning."""
    if not options.prunes:
        return ()
    notes = []
    if utility_sum(game) is None:
        notes.append(f"the returns of {game.name} have no known sum, so other players' moves prune little.")
    elif _greatest_sum(evaluator, game) > (utility_sum(game) or 0.0):
        notes.append(
            f"evaluator {evaluator.name} does not promise that its values sum to those of the game, so other "
            "players' moves prune little; if they do, say so by the attribute constant_sum = True."
        )
    if options.tree_algorithm == "star2":
        notes.append("star2 does not probe in games of this kind: it searches as star1 does.")
    return tuple(notes)


def _greatest_sum(evaluator: Evaluator, game: Game) -> float:
    """Returns the greatest sum of a vector, in terminal states and at the horizon; infinite if unknown."""
    total, values = utility_sum(game), value_range(evaluator, game)
    if total is None:
        return math.inf
    if has_constant_sum(evaluator):
        return total
    return math.inf if values is None else max(total, game.num_players * values[1])
