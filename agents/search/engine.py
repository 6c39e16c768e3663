"""What the driver asks of an engine, and the Python engine, which is the specification."""

import math
from collections.abc import Callable
from typing import Any, Protocol

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.search.expectiminimax import expectiminimax, expectiminimax_with_table
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.result import Statistics, tie_tolerance
from starspiel.agents.search.run import Run
from starspiel.agents.search.star import CUT_TOLERANCE, star
from starspiel.agents.search.table import IntervalTable
from starspiel.envs.base import Game

#: (state, depth, alpha, beta) -> player 0's value, fail-soft in the window.
ValueFunction = Callable[[Any, int, float, float], float]


class Engine(Protocol):
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

    def search_root(self, state: Any, depth: int, share: bool, values: dict[int, float]) -> None:
        """Searches every action of a decision node to `depth` plies and puts the exact values in `values`.

        With `share`, an action's window starts a little below the best so far: ties are still seen, and
        actions proven worse are left out. Filled action by action, so that what was finished survives a
        BudgetSpentError, which ends the search where a limit is met.
        """

    def aside(self, limits: Limits) -> "Engine":
        """An engine for the same game with limits and counters of its own."""

    def evaluate(self, state: Any) -> float:
        """The evaluator's value of a state that is not terminal."""

    def finish(self) -> None:
        """To be called when the last iteration is over, however it ended."""

    def elapsed(self) -> float:
        """Wall-clock seconds since the search began."""

    def statistics(self) -> Statistics:
        """The work so far."""


class PythonEngine:
    """The algorithms over any State."""

    name = "python"

    def __init__(
        self,
        evaluator: Evaluator,
        game: Game,
        limits: Limits,
        algorithm: str,
        probes: int,
        table: IntervalTable | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.notes = notes
        self._arguments = evaluator, game, algorithm, probes, table
        self._run = Run(evaluator, game, limits)
        self._run.intervals = table
        self._value_of = _value_function(algorithm, probes, self._run)

    @property
    def unbounded(self) -> str | None:
        return self._run.unbounded

    @property
    def size(self) -> float:
        return self._run.size

    @property
    def nodes(self) -> int:
        return self._run.nodes

    @property
    def evaluations(self) -> int:
        return self._run.evaluations

    def search_root(self, state: Any, depth: int, share: bool, values: dict[int, float]) -> None:
        self._run.nodes += 1
        self._run.interior += 1
        player = state.current_player()
        alpha, beta = -math.inf, math.inf
        for action in state.legal_actions():
            value = self._value_of(state.child(action), depth - 1, alpha, beta)
            # Cut-offs forgive CUT_TOLERANCE, so a bound may lie that far inside the window.
            if alpha + CUT_TOLERANCE < value < beta - CUT_TOLERANCE:
                values[action] = value
                margin = 2 * tie_tolerance(self._run.size)
                if share and player == 0:
                    alpha = max(alpha, value - margin)
                elif share:
                    beta = min(beta, value + margin)

    def aside(self, limits: Limits) -> "PythonEngine":
        evaluator, game, algorithm, probes, table = self._arguments
        return PythonEngine(evaluator, game, limits, algorithm, probes, table)

    def evaluate(self, state: Any) -> float:
        evaluator, game, *_ = self._arguments
        return Run(evaluator, game, Limits(depth=1)).leaf(state)

    def finish(self) -> None:
        self._run.collector.end()

    def elapsed(self) -> float:
        return self._run.elapsed()

    def statistics(self) -> Statistics:
        run = self._run
        return Statistics(
            nodes=run.nodes,
            leaves=run.nodes - run.interior,
            decision_cutoffs=run.decision_cutoffs,
            chance_cutoffs=run.chance_cutoffs,
            probes=run.probes,
            probes_won=run.probes_won,
            table_hits=run.table_hits,
            seconds=run.elapsed(),
        )


def _value_function(algorithm: str, probes: int, run: Run) -> ValueFunction:
    if algorithm == "expectiminimax":
        table = run.intervals

        def full_width(state: Any, depth: int, alpha: float, beta: float) -> float:
            run.nodes += 1
            if run.nodes >= run.check_at:
                run.check()
            if table is None:
                return expectiminimax(state, depth, run)
            return expectiminimax_with_table(state, depth, run, table)

        return full_width
    probes = probes if algorithm == "star2" else 0
    return lambda state, depth, alpha, beta: star(state, depth, alpha, beta, probes, run)
