"""The Python engine, which is the specification; the native one is in native.py."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, by_position, not_by_position
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.context import SearchContext
from starspiel.agents.search.expectiminimax import expectiminimax
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.native import NativeEngine
from starspiel.agents.search.options import Options
from starspiel.agents.search.result import Statistics, tie_tolerance
from starspiel.agents.search.simultaneous import backed_up, double_oracle
from starspiel.agents.search.star import CUT_TOLERANCE, star
from starspiel.agents.search.table import IntervalTable, has_keys
from starspiel.agents.search.task import SearchTask
from starspiel.envs.base import Game


class PythonEngine(SearchContext):
    """The algorithms over any State.

    Attributes:
        notes: what a reader of the result must know of the engine, one sentence each.
    """

    name = "python"
    notes: tuple[str, ...] = ()

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
        self, state: Any, depth: int, share: bool, values: dict[int, float], first: Sequence[int] = ()
    ) -> None:
        """Searches every action of a decision node to `depth` plies and puts the exact values in `values`.

        The actions in `first` come first, in this order. With `share`, an action's window starts a little
        below the best so far: ties are still seen, and actions proven worse are left out. `values` is filled
        action by action, so that what was finished survives a BudgetSpentError.
        """
        self.nodes += 1
        self.interior += 1
        player = state.current_player()
        alpha, beta = -math.inf, math.inf
        actions = [*first, *(action for action in state.legal_actions() if action not in first)]
        leaves = self.leaves if depth == 1 else None
        if leaves is not None:
            self.nodes += len(actions)
            known = leaves([state.child(action) for action in actions])
        for i, action in enumerate(actions):
            value = known[i] if leaves else self._value(state.child(action), depth - 1, alpha, beta)
            # Cut-offs forgive CUT_TOLERANCE, so a bound may lie that far inside the window.
            if alpha + CUT_TOLERANCE < value < beta - CUT_TOLERANCE:
                values[action] = value
                margin = 2 * tie_tolerance(self.size)
                if share and player == 0:
                    alpha = max(alpha, value - margin)
                elif share:
                    beta = min(beta, value + margin)

    def _value(self, state: Any, depth: int, alpha: float, beta: float) -> float:
        """Player 0's value of a root action's successor, fail-soft in the window."""
        visit = self.visit or self._function
        if self.options.prunes:
            return visit(state, depth, alpha, beta, self)
        self.nodes += 1
        if self.nodes >= self.check_at:
            self.check()
        return visit(state, depth, self)

    def with_limits(self, limits: Limits) -> "PythonEngine":
        """An engine for the same game and table with limits and counters of its own."""
        return PythonEngine(self._evaluator, self._game, limits, self.options, self.table, self.opponent)

    def record(self, recorder: Any) -> None:
        """Has every search of a node but the root's own go through a VisitRecorder."""
        self.visit = recorder.around(self._function, self)
        if self.leaves is not None:
            self.leaves = recorder.around_leaves(self.leaves)

    def evaluate(self, state: Any) -> float:
        """The evaluator's value of a state that is not terminal."""
        return SearchContext(self._evaluator, self._game, Limits(depth=1), self.options).leaf(state)

    def finish(self) -> None:
        """To be called when the last iteration is over, however it ended."""
        self.collector.end()

    def statistics(self) -> Statistics:
        return Statistics(
            nodes=self.nodes,
            leaves=self.nodes - self.interior,
            decision_cutoffs=self.decision_cutoffs,
            chance_cutoffs=self.chance_cutoffs,
            probes=self.probes,
            probes_won=self.probes_won,
            table_hits=self.table_hits,
            seconds=self.elapsed(),
        )


#: One search, iteration by iteration.
SearchEngine = PythonEngine | NativeEngine


def python_engine(task: SearchTask, limits: Limits) -> PythonEngine:
    """The Python engine for a search, with a table if it can have one."""
    options, opponent = task.options, task.opponent
    table: IntervalTable | None = None
    notes: tuple[str, ...] = ()
    if options.table_mb is not None and not options.sampling and has_keys(task.root, task.game):
        if not by_position(task.evaluator):
            notes = (not_by_position(task.evaluator, "the table is"),)
        elif opponent is not None and not opponent.by_position:
            notes = (opponent.not_by_position("the table is"),)
        else:
            table = IntervalTable(task.game, options.table_mb)
    if options.threads > 1:
        notes = (*notes, "the Python engine searches with one thread.")
    engine = PythonEngine(task.evaluator, task.game, limits, options, table, opponent)
    engine.notes = notes
    return engine
