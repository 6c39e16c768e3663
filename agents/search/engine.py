"""What the driver asks of an engine, and the Python engine, which is the specification."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from starspiel.agents.evaluators.base import Evaluator, by_position, not_by_position
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.context import NOBODY, SearchContext
from starspiel.agents.search.expectiminimax import expectiminimax, expectiminimax_with_table
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.options import Options
from starspiel.agents.search.result import Statistics, tie_tolerance
from starspiel.agents.search.star import CUT_TOLERANCE, star
from starspiel.agents.search.table import IntervalTable, has_keys
from starspiel.envs.base import Game

#: (state, depth, alpha, beta) -> player 0's value, fail-soft in the window.
ValueFunction = Callable[[Any, int, float, float], float]


class SearchEngine(Protocol):
    """One search, iteration by iteration.

    Attributes:
        name: "python" or "native".
        unbounded: why chance nodes are not pruned; None where there are bounds to prune them with.
        size: the greatest magnitude of a value read off at a leaf, at least 1.
        notes: what a reader of the result must know of the engine, one sentence each.
        nodes: states visited.
        evaluations: values of the evaluator that went into the answers, directly or through a table.
    """

    name: str
    notes: tuple[str, ...]

    @property
    def unbounded(self) -> str | None: ...
    @property
    def size(self) -> float: ...
    @property
    def nodes(self) -> int: ...
    @property
    def evaluations(self) -> int: ...

    def search_root(
        self, state: Any, depth: int, share: bool, values: dict[int, float], first: Sequence[int] = ()
    ) -> None:
        """Searches every action of a decision node to `depth` plies and puts the exact values in `values`.

        The actions in `first` come first, in this order.

        With `share`, an action's window starts a little below the best so far: ties are still seen, and
        actions proven worse are left out. Filled action by action, so that what was finished survives a
        BudgetSpentError, which ends the search where a limit is met.
        """

    def with_limits(self, limits: Limits) -> "SearchEngine":
        """An engine for the same game with limits and counters of its own."""

    def evaluate(self, state: Any) -> float:
        """The evaluator's value of a state that is not terminal."""

    def finish(self) -> None:
        """To be called when the last iteration is over, however it ended."""

    def elapsed(self) -> float:
        """Wall-clock seconds since the search began."""

    def statistics(self) -> Statistics:
        """The work so far."""


class Recorder(Protocol):
    """What watches a search of the Python engine: agents/search/tree/recorder.py."""

    def around(self, function: Callable[..., float], context: SearchContext) -> Callable[..., float]:
        """A search function that does what `function` does, and keeps what it was asked and answered."""

    def around_leaves(self, leaves: Callable[[list[Any]], list[float]]) -> Callable[[list[Any]], list[float]]:
        """The same of `SearchContext.leaves`."""


class PythonEngine:
    """The algorithms over any State."""

    name = "python"

    def __init__(
        self,
        evaluator: Evaluator,
        game: Game,
        limits: Limits,
        options: Options,
        table: IntervalTable | None = None,
        notes: tuple[str, ...] = (),
        opponent: Opponent | None = None,
        modelled: int = NOBODY,
    ) -> None:
        self.notes = notes
        self._evaluator, self._game = evaluator, game
        self._context = SearchContext(evaluator, game, limits, options, table, opponent, modelled)
        self._value_of = _value_function(self._context)

    @property
    def unbounded(self) -> str | None:
        return self._context.unbounded

    @property
    def size(self) -> float:
        return self._context.size

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds on every value in the tree; (-inf, inf) where none are of use."""
        return self._context.lower, self._context.upper

    @property
    def nodes(self) -> int:
        return self._context.nodes

    @property
    def evaluations(self) -> int:
        return self._context.evaluations

    def search_root(
        self, state: Any, depth: int, share: bool, values: dict[int, float], first: Sequence[int] = ()
    ) -> None:
        context = self._context
        context.nodes += 1
        context.interior += 1
        player = state.current_player()
        alpha, beta = -math.inf, math.inf
        actions = [*first, *(action for action in state.legal_actions() if action not in first)]
        leaves = context.leaves if depth == 1 else None
        if leaves is not None:
            context.nodes += len(actions)
            known = leaves([state.child(action) for action in actions])
        for i, action in enumerate(actions):
            value = known[i] if leaves else self._value_of(state.child(action), depth - 1, alpha, beta)
            # Cut-offs forgive CUT_TOLERANCE, so a bound may lie that far inside the window.
            if alpha + CUT_TOLERANCE < value < beta - CUT_TOLERANCE:
                values[action] = value
                margin = 2 * tie_tolerance(context.size)
                if share and player == 0:
                    alpha = max(alpha, value - margin)
                elif share:
                    beta = min(beta, value + margin)

    def with_limits(self, limits: Limits) -> "PythonEngine":
        context = self._context
        return PythonEngine(
            self._evaluator,
            self._game,
            limits,
            context.options,
            context.table,
            opponent=context.opponent,
            modelled=context.modelled,
        )

    def record(self, recorder: Recorder) -> None:
        """Has every search of a node but the root's own go through the recorder."""
        context = self._context
        function: Callable[..., float] = star
        if not context.options.prunes:
            function = expectiminimax if context.table is None else expectiminimax_with_table
        context.visit = recorder.around(function, context)
        if context.leaves is not None:
            context.leaves = recorder.around_leaves(context.leaves)

    def evaluate(self, state: Any) -> float:
        unlimited = SearchContext(self._evaluator, self._game, Limits(depth=1), self._context.options)
        return unlimited.leaf(state)

    def finish(self) -> None:
        self._context.collector.end()

    def elapsed(self) -> float:
        return self._context.elapsed()

    def statistics(self) -> Statistics:
        spent = self._context
        return Statistics(
            nodes=spent.nodes,
            leaves=spent.nodes - spent.interior,
            decision_cutoffs=spent.decision_cutoffs,
            chance_cutoffs=spent.chance_cutoffs,
            probes=spent.probes,
            probes_won=spent.probes_won,
            table_hits=spent.table_hits,
            seconds=spent.elapsed(),
        )


def python_engine(
    root: Any,
    game: Game,
    evaluator: Evaluator,
    limits: Limits,
    options: Options,
    opponent: Opponent | None = None,
) -> PythonEngine:
    """The Python engine for a search from `root`, with a table where it can have one."""
    table: IntervalTable | None = None
    notes: tuple[str, ...] = ()
    if options.table_mb is not None and not options.sampling and has_keys(root, game):
        if not by_position(evaluator):
            notes = (not_by_position(evaluator, "the table is"),)
        elif opponent is not None and not opponent.by_position:
            notes = (opponent.not_by_position("the table is"),)
        else:
            table = IntervalTable(game, options.table_mb)
    if options.threads > 1:
        notes = (*notes, "the Python engine searches with one thread.")
    return PythonEngine(
        evaluator, game, limits, options, table, notes, opponent, modelled=1 - root.current_player()
    )


def _value_function(context: SearchContext) -> ValueFunction:
    if context.options.prunes:

        def windowed(state: Any, depth: int, alpha: float, beta: float) -> float:
            return (context.visit or star)(state, depth, alpha, beta, context)

        return windowed
    table = context.table

    def full_width(state: Any, depth: int, alpha: float, beta: float) -> float:
        context.nodes += 1
        if context.nodes >= context.check_at:
            context.check()
        if table is None:
            return (context.visit or expectiminimax)(state, depth, context)
        return (context.visit or expectiminimax_with_table)(state, depth, context, table)

    return full_width
