"""Provides the Python engine, which specifies all searches; native.py provides the other engine."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.context import SearchContext
from starspiel.agents.search.expectiminimax import expectiminimax
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.options import Options
from starspiel.agents.search.result import Statistics, tie_tolerance
from starspiel.agents.search.simultaneous import backed_up, double_oracle
from starspiel.agents.search.star import CUT_TOLERANCE, star
from starspiel.agents.search.table import IntervalTable
from starspiel.envs.base import Game


class PythonEngine(SearchContext):
    """The search algorithms over any State.

    Attributes:
        notes: notes for the result, one sentence each.
        perspective: the player whose expected returns the values are, unless they are vectors.
    """

    name = "python"
    notes: tuple[str, ...] = ()
    perspective = 0

    def __init__(
        self,
        evaluator: Evaluator,
        game: Game,
        limits: Limits,
        options: Options,
        table: IntervalTable | None = None,
        opponent: Opponent | None = None,
    ) -> None:
        super().__init__(evaluator, game, limits, options, table, opponent)
        self._evaluator, self._game = evaluator, game
        self._function: Callable[..., float] = star if options.prunes else expectiminimax
        self.joint = double_oracle if options.prunes else backed_up

    def search_root(
        self, state: Any, depth: int, margin: float, values: dict[int, Any], first: Sequence[int] = ()
    ) -> None:
        """Searches every action of a decision node to `depth` plies and writes the exact values to `values`.

        Values are the returns of `perspective`; in max^n, vectors of every player's return.

        The actions in `first` are searched first, in this order; with filters, no others are searched.
        Actions worse than the best by more than `margin`, with some slack for ties, may be left out. With an
        infinite margin, none are left out. `values` is filled action by action, so that finished values
        survive a BudgetSpentError.
        """
        self.nodes += 1
        self.interior += 1
        player = state.current_player()
        alpha, beta = -math.inf, math.inf
        actions = list(first)
        if self.filters is None or not first:
            actions += [action for action in state.legal_actions() if action not in first]
        leaves = self.leaves if depth == 1 else None
        if leaves is not None:
            self.nodes += len(actions)
            known = leaves([state.child(action) for action in actions])
        for i, action in enumerate(actions):
            value = known[i] if leaves else self._value(state.child(action), depth - 1, alpha, beta)
            # Cut-offs allow for CUT_TOLERANCE, so a bound may lie that far inside the window.
            if alpha + CUT_TOLERANCE < value < beta - CUT_TOLERANCE:
                values[action] = value
                below = 2 * tie_tolerance(self.size) + margin
                if player == 0:
                    alpha = max(alpha, value - below)
                else:
                    beta = min(beta, value + below)

    def _value(self, state: Any, depth: int, alpha: float, beta: float) -> float:
        """Returns player 0's value of a root action's successor, fail-soft."""
        visit = self.visit or self._function
        if self.options.prunes:
            return visit(state, depth, alpha, beta, self)
        self.nodes += 1
        if self.nodes >= self.check_at:
            self.check()
        return visit(state, depth, self)

    def with_limits(self, limits: Limits) -> "PythonEngine":
        """Returns an engine with the same game and table, but other limits and its own counters."""
        return PythonEngine(self._evaluator, self._game, limits, self.options, self.table, self.opponent)

    def record(self, recorder: Any) -> None:
        """Passes every search of a node below the root through a VisitRecorder."""
        self.visit = recorder.around(self._function, self)
        if self.leaves is not None:
            self.leaves = recorder.around_leaves(self.leaves)

    def evaluate(self, state: Any) -> Any:
        """Returns the evaluator's value of a state that is not terminal."""
        return SearchContext(self._evaluator, self._game, Limits(depth=1), self.options).leaf(state)

    def statistics(self) -> Statistics:
        return Statistics(
            nodes=self.nodes,
            leaves=self.nodes - self.interior,
            decision_cutoffs=self.decision_cutoffs,
            chance_cutoffs=self.chance_cutoffs,
            probes=self.probes,
            probes_won=self.probes_won,
            table_hits=self.table_hits,
            filtered_moves=self.filtered_moves,
            probcuts=self.probcuts,
            seconds=self.elapsed(),
        )
