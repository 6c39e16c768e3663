"""What one search carries along: the evaluator, the bounds, the counters and the clock."""

import math
import sys
import time
from collections.abc import Callable
from numbers import Real
from typing import Any, TypeVar

from starspiel.agents.evaluators.base import Evaluator, FunctionEvaluator, batch_values, quiet_of, value_range
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.gc_pause import PAUSE, CollectorPause
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.options import Options
from starspiel.agents.search.result import TIE_TOLERANCE
from starspiel.agents.search.table import IntervalTable
from starspiel.envs.base import Game
from starspiel.envs.errors import EvaluatorError, UnsupportedGameError, shown

#: The player whose moves are modelled where none are.
NOBODY = -9

ValueT = TypeVar("ValueT")

#: How often the clock is read: about once in this many seconds of search.
_CLOCK_INTERVAL = 0.001


#: The widest bounds that chance nodes are pruned with, either side of 0: 4.5 million. A bound of size w
#: leaves a rounding error of about w times 2^-52 in the sums it stands in; beyond this that error is greater
#: than the difference between ties, and bounds so far from the values cut off nothing.
WIDEST = TIE_TOLERANCE / sys.float_info.epsilon
#: Slack around the windows handed to a chance node's successors, relative to the bounds where they are
#: beyond +-1.
SLACK = 1e-9

#: Every float but the infinite ones and NaN.
_ANY_NUMBER = (-sys.float_info.max, sys.float_info.max)


class BudgetSpentError(Exception):
    """The node or time limit ended the search. Caught by the driver, never seen by a user."""


class SearchContext:
    """What the nodes of one search share. Counters are plain attributes because every node touches them.

    Attributes:
        leaf: the value of a state at the horizon: its return where the game is over, else the evaluator's.
        leaves: the values of several such states, where the evaluator values many at once; otherwise None.
        nodes, interior, terminals: states visited, and those of them with successors and with none. The
            callers of `leaf` count its states in `nodes`.
        lower, upper: finite bounds on every value in the tree; (-inf, inf) where none are of use.
        unbounded: why none are, in words; None where they are.
        bounded: whether Star pruning can be used.
        slack: how much wider than the bounds the windows of a chance node's successors are.
        size: the greatest magnitude of a value read off at a leaf, at least 1.
        table: the table, or None.
        probe_moves: how many moves of each successor a chance node probes.
        opponent, modelled: the model of a player, and which player that is; None and NOBODY where all players
            make their best moves.
        extension: how many plies beyond the horizon a line is searched on where its position is not quiet.
        quiet: whether a state is quiet; not asked where `extension` is 0.
        options: how to search.
        visit: a recorder's, by which nodes have their successors searched; None, and they search them
            themselves.
        collector: begins its pause near the deadline; whoever made the context ends it.
    """

    __slots__ = (
        "_deadline",
        "_max_nodes",
        "_started",
        "bounded",
        "chance_cutoffs",
        "check_at",
        "collector",
        "decision_cutoffs",
        "extension",
        "interior",
        "leaf",
        "leaves",
        "lower",
        "modelled",
        "nodes",
        "opponent",
        "options",
        "probe_moves",
        "probes",
        "probes_won",
        "quiet",
        "size",
        "slack",
        "table",
        "table_hits",
        "terminals",
        "unbounded",
        "upper",
        "visit",
    )

    def __init__(
        self,
        evaluator: Evaluator,
        game: Game,
        limits: Limits,
        options: Options,
        table: IntervalTable | None = None,
        opponent: Opponent | None = None,
        modelled: int = NOBODY,
    ) -> None:
        self.options = options
        self.opponent, self.modelled = opponent, NOBODY if opponent is None else modelled
        self.extension = options.quiescence
        self.quiet = _quiet(evaluator, game) if self.extension else _always
        self.probe_moves = options.probe_moves
        values = value_range(evaluator, game)
        utilities = game.utility_range
        low, high = values or _ANY_NUMBER
        # A value is a mean of utilities and evaluator values, so the bounds are the hull of both ranges.
        self.lower, self.upper = -math.inf, math.inf
        if utilities is not None and values is not None:
            self.lower = min(utilities[0], low)
            self.upper = max(utilities[1], high)
        self.unbounded = _unbounded(self.lower, self.upper, game)
        self.bounded = self.unbounded is None
        if not self.bounded:
            self.lower, self.upper = -math.inf, math.inf
        self.slack = SLACK * max(1.0, abs(self.lower), abs(self.upper))
        self.size = 1.0
        self.table = table
        self.visit: Callable[..., float] | None = None
        self.nodes = self.interior = self.terminals = 0
        self.decision_cutoffs = self.chance_cutoffs = self.probes = self.probes_won = self.table_hits = 0
        self.collector = CollectorPause()
        self._max_nodes = math.inf if limits.nodes is None else limits.nodes
        self._started = time.perf_counter()
        self._deadline = math.inf if limits.seconds is None else self._started + limits.seconds
        self.check_at = math.inf if limits.depth_only else 1.0
        # An infinite end of a range bounds nothing; a value is finite all the same.
        low, high = max(low, _ANY_NUMBER[0]), min(high, _ANY_NUMBER[1])
        self.leaves = _leaves(self, evaluator, low, high)
        if limits.seconds is not None and self.leaves is not None:
            self.leaves = _timed(self.leaves, self._deadline)
        self.leaf = _leaf(self, evaluator, low, high) if self.leaves is None else _alone(self.leaves)
        if self.extension:
            self.leaves = None  # Which of a node's successors are at the horizon is only known one by one.
        if limits.seconds is not None:
            self.leaf = _timed(self.leaf, self._deadline)

    def check(self) -> None:
        """Ends the search where a limit is met; called when `nodes` reaches `check_at`.

        Raises BudgetSpentError.
        """
        if self.nodes > self._max_nodes:
            self.nodes = int(self._max_nodes)  # Those past the limit were counted but not visited.
            raise BudgetSpentError
        stride = math.inf
        if self._deadline < math.inf:
            now = time.perf_counter()
            if now >= self._deadline:
                raise BudgetSpentError
            if now >= self._deadline - PAUSE:
                self.collector.begin()
            pace = self.nodes / max(now - self._started, 1e-9)
            left = min(_CLOCK_INTERVAL, self._deadline - now)
            stride = max(1, int(pace * left))
        self.check_at = min(self.nodes + stride, self._max_nodes + 1)

    def utility(self, state: Any) -> float:
        """Player 0's return at a terminal state, which is counted."""
        self.terminals += 1
        value = float(state.returns()[0])
        if not -1.0 <= value <= 1.0 and abs(value) > self.size:
            self.size = abs(value)
        return value

    @property
    def evaluations(self) -> int:
        """How often the evaluator was asked."""
        return self.nodes - self.interior - self.terminals

    def elapsed(self) -> float:
        """Wall-clock seconds since the search began."""
        return time.perf_counter() - self._started


def _unbounded(lower: float, upper: float, game: Game) -> str | None:
    """Why chance nodes are not pruned with these bounds; None where they are."""
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return f"no sound bounds on the values of {game.name} are known, so chance nodes were not pruned."
    if max(-lower, upper) > WIDEST:
        return (
            f"the bounds on the values of {game.name}, [{lower:g}, {upper:g}], are too wide to prune with, "
            f"so chance nodes were not pruned; give the evaluator and the game ranges within +-{WIDEST:.2g}, "
            "as tight as can be, or count utilities in greater units."
        )
    return None


def check_quiescence(options: Options, evaluator: Evaluator, game: Game) -> None:
    """Raises UnsupportedGameError where positions are to be quiet and nobody says which are."""
    if options.quiescence and quiet_of(evaluator, game) is None:
        raise UnsupportedGameError(
            f"neither {game.name} nor the evaluator {evaluator.name} says which positions are quiet, so "
            f"quiescence={options.quiescence} has no meaning; leave it out, or give an evaluator of your own "
            "with a method quiet(state)."
        )


def _quiet(evaluator: Evaluator, game: Game) -> Callable[[Any], bool]:
    """`SearchContext.quiet`; after the end all is quiet."""
    says = quiet_of(evaluator, game)
    return _always if says is None else lambda state: state.is_terminal() or says(state)


def _always(state: Any) -> bool:
    return True


def best_leaf(
    leaves: Callable[[list[Any]], list[float]], state: Any, player: int, context: SearchContext
) -> float:
    """The best successor's value of a decision node one ply above the horizon; all are valued at once."""
    modelled = context.opponent if player == context.modelled else None
    replies = (
        [(action, 0.0) for action in state.legal_actions()] if modelled is None else modelled.replies(state)
    )
    children = [state.child(action) for action, _ in replies]
    context.nodes += len(children)
    if context.nodes >= context.check_at:
        context.check()
    values = leaves(children)
    if modelled is not None:
        return modelled.value(values, [p for _, p in replies], player)
    return max(values) if player == 0 else min(values)


def _leaf(context: SearchContext, evaluator: Evaluator, low: float, high: float) -> Callable[[Any], float]:
    """`SearchContext.leaf`; a closure, because it is the innermost call of every search."""
    function = evaluator.function if isinstance(evaluator, FunctionEvaluator) else evaluator

    def leaf(state: Any) -> float:
        if state.is_terminal():
            return context.utility(state)
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
        raise EvaluatorError(
            f"evaluator {evaluator.name} returned {shown(returned)}; expected a number in "
            f"[{low:g}, {high:g}] (its range) at the state\n{state}"
        )

    return leaf


def _leaves(
    context: SearchContext, evaluator: Evaluator, low: float, high: float
) -> Callable[[list[Any]], list[float]] | None:
    """`SearchContext.leaves`."""
    function = batch_values(evaluator)
    if function is None:
        return None

    def leaves(states: list[Any]) -> list[float]:
        values = [context.utility(state) if state.is_terminal() else math.nan for state in states]
        asked = [i for i, value in enumerate(values) if math.isnan(value)]
        if not asked:
            return values
        for i, value in zip(asked, function([states[i] for i in asked]), strict=True):
            if not low <= value <= high:
                raise EvaluatorError(
                    f"evaluator {evaluator.name} returned {shown(value)}; expected a number in "
                    f"[{low:g}, {high:g}] (its range) at the state\n{states[i]}"
                )
            context.size = max(context.size, abs(value))
            values[i] = value
        return values

    return leaves


def _alone(leaves: Callable[[list[Any]], list[float]]) -> Callable[[Any], float]:
    return lambda state: leaves([state])[0]


def _number(returned: Any) -> float:
    """What an evaluator returned as a float; NaN, which no range holds, where it is not one number."""
    if not isinstance(returned, Real) and getattr(returned, "ndim", None) != 0:
        return math.nan
    try:
        return float(returned)
    except (OverflowError, TypeError, ValueError):
        return math.nan


def _timed(leaf: Callable[[Any], ValueT], deadline: float) -> Callable[[Any], ValueT]:
    """`leaf` that reads the clock before every call, since an evaluator may be slow."""
    clock = time.perf_counter

    def timed_leaf(state: Any) -> ValueT:
        if clock() >= deadline:
            raise BudgetSpentError
        return leaf(state)

    return timed_leaf
