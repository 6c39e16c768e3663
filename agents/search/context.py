"""Holds the context of one search: evaluator, bounds, counters and clock."""

import math
import sys
import time
from collections.abc import Callable
from typing import Any, ClassVar

from starspiel.agents.evaluators.base import Evaluator, small_of, value_range
from starspiel.agents.opponents.model import NOBODY, Opponent
from starspiel.agents.search.leaves import BudgetSpentError, Leaves
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.move_filters import last_positions, moves_searched, scaled_filters
from starspiel.agents.search.options import Options
from starspiel.agents.search.probcut import ProbCut, margins, probcut
from starspiel.agents.search.result import TIE_TOLERANCE
from starspiel.agents.search.table import IntervalTable
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError

__all__ = ["NOBODY", "SLACK", "WIDEST", "BudgetSpentError", "SearchContext", "best_leaf"]

#: Seconds of search between two readings of the clock, approximately.
_CLOCK_INTERVAL = 0.001
#: The widest bounds that chance nodes are pruned with, on either side of 0: 4.5 million. A bound of size w
#: leaves a rounding error of about w times 2^-52 in the sums in which it occurs. Beyond this limit, that
#: error exceeds the difference between ties.
WIDEST = TIE_TOLERANCE / sys.float_info.epsilon
#: Slack around the windows of a chance node's successors, relative to bounds beyond +-1.
SLACK = 1e-9


class SearchContext:
    """The state shared by the nodes of one search. Counters are plain attributes because every node updates
    them.

    Attributes:
        leaf: returns the value of a state at the horizon: its return if the game is over, else the
            evaluator's value. A vector in the context of max^n.
        leaves: returns the values of several such states, if the evaluator values many at once; otherwise
            None.
        nodes, interior, terminals: number of states visited, and of those with successors and without. The
            callers of `leaf` count its states in `nodes`.
        lower, upper: finite bounds on every value in the tree; (-inf, inf) if there are no usable bounds.
        unbounded: why there are none, in words; None if there are.
        bounded: whether Star pruning can be used.
        slack: how much wider than the bounds the windows of a chance node's successors are.
        size: the greatest magnitude of a leaf's value so far, at least 1.
        probe_moves: how many moves of each successor a chance node probes.
        opponent, modelled: the model of a player, and which player that is; None and NOBODY if there is none.
        moves: (state, player, depth) -> the moves of a decision node that are searched.
        last: (state, player) -> the positions after the moves of a decision node on the last ply that are
            valued; None if those after all legal moves are.
        probcut: cuts off a chance node whose value is likely to be outside the window; None if unused.
        probcuts, cut_last: how many nodes it has cut off, and the last such state.
        filters: the move filters in the units of values; None if all moves are searched.
        looks, filtered_moves: number of successors valued in order to filter moves, and of moves not searched
            because of it.
        joint: searches a node at which all players move at once.
        visit: a recorder's function, by which nodes search their successors; if None, they search them
            directly.
    """

    #: The class that values leaves.
    reader: ClassVar[type[Leaves]] = Leaves

    __slots__ = (
        *("_deadline", "_max_nodes", "_started", "bounded", "chance_cutoffs", "check_at"),
        *("cut_last", "decision_cutoffs", "filtered_moves", "filters", "interior", "joint", "last", "leaf"),
        *("leaves", "looks", "lower", "modelled", "moves", "nodes", "opponent", "options"),
        *("probcut", "probcuts", "probe_moves", "probes", "probes_won"),
        *("size", "slack", "table", "table_hits", "terminals", "unbounded", "upper", "visit"),
    )

    def __init__(
        self,
        evaluator: Evaluator,
        game: Game,
        limits: Limits,
        options: Options,
        table: IntervalTable | None = None,
        opponent: Opponent | None = None,
    ) -> None:
        self.options = options
        self.opponent, self.modelled = opponent, NOBODY if opponent is None else opponent.player
        self.probe_moves = options.probe_moves
        self.unbounded, self.lower, self.upper = _bounds(evaluator, game)
        self.bounded = self.unbounded is None
        self.slack = SLACK * max(1.0, abs(self.lower), abs(self.upper))
        self.size = 1.0
        self.table = table
        self.joint: Callable[..., float] = _no_joint_moves
        self.visit: Callable[..., float] | None = None
        self.nodes = self.interior = self.terminals = 0
        self.decision_cutoffs = self.chance_cutoffs = self.probes = self.probes_won = self.table_hits = 0
        self._max_nodes = math.inf if limits.nodes is None else limits.nodes
        self._started = time.perf_counter()
        self._deadline = math.inf if limits.seconds is None else self._started + limits.seconds
        self.check_at = math.inf if limits.depth_only else 1.0
        read_off = self.reader(self, evaluator, value_range(evaluator, game), self._deadline)
        many = read_off.many()
        self.leaf = read_off.one() if many is None else lambda state: many([state])[0]
        self.looks = self.filtered_moves = self.probcuts = 0
        self.cut_last: Any = None
        fits = margins(options, evaluator)
        self.probcut: ProbCut | None = probcut(self, fits) if fits else None
        self.moves: Callable[..., Any] = _all_moves
        self.filters = scaled_filters(options.filters, self.lower, self.upper)
        if self.filters is not None:
            self.moves = moves_searched(self, many or (lambda states: list(map(self.leaf, states))))
        self.leaves = many
        self.last: Callable[..., list[Any]] | None = None
        small = None if self.filters is None or self.filters.last is None else small_of(evaluator)
        if small is not None:
            self.leaves = many or (lambda states: list(map(self.leaf, states)))
            read_off = self.reader(self, small, None, self._deadline)
            cheap = read_off.one()
            each = read_off.many() or (lambda states: list(map(cheap, states)))
            self.last = last_positions(self, each, small.sees)

    def check(self) -> None:
        """Raises BudgetSpentError if a limit is reached; called when `nodes` reaches `check_at`."""
        if self.nodes > self._max_nodes:
            self.nodes = int(self._max_nodes)  # Nodes past the limit were counted but not visited.
            raise BudgetSpentError
        stride = math.inf
        if self._deadline < math.inf:
            now = time.perf_counter()
            if now >= self._deadline:
                raise BudgetSpentError
            pace = self.nodes / max(now - self._started, 1e-9)
            left = min(_CLOCK_INTERVAL, self._deadline - now)
            stride = max(1, int(pace * left))
        self.check_at = min(self.nodes + stride, self._max_nodes + 1)

    def utility(self, state: Any) -> float:
        """Returns player 0's return at a terminal state, and counts the state."""
        self.terminals += 1
        value = float(state.returns()[0])
        if not -1.0 <= value <= 1.0 and abs(value) > self.size:
            self.size = abs(value)
        if value < self.lower - self.slack or value > self.upper + self.slack:
            raise self.broken(f"a return of {value:g} outside [{self.lower:g}, {self.upper:g}]", state)
        return value

    def broken(self, what: str, state: Any) -> StarspielError:
        """Returns the error for returns that contradict what the game declares about them."""
        return StarspielError(
            f"a game ends with {what}, by which searches prune: correct what the game declares of its "
            "returns (utility_range, or OpenSpiel's min_utility and max_utility; utility_sum), at the state\n"
            f"{state}"
        )

    @property
    def evaluations(self) -> int:
        """The number of evaluator values on which the result depends."""
        return self.nodes - self.interior - self.terminals - self.looks

    def elapsed(self) -> float:
        """Returns the wall-clock seconds since the search began."""
        return time.perf_counter() - self._started


def _bounds(evaluator: Evaluator, game: Game) -> tuple[str | None, float, float]:
    """Returns (why chance nodes cannot be pruned, or None; lower and upper bound on all values, infinite if
    unknown).

    A value is a mean of utilities and evaluator values, so the bounds enclose both ranges.
    """
    values, utilities = value_range(evaluator, game), game.utility_range
    lower, upper = -math.inf, math.inf
    if utilities is not None and values is not None:
        lower, upper = min(utilities[0], values[0]), max(utilities[1], values[1])
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return f"no sound bounds on the values of {game.name} are known", -math.inf, math.inf
    if max(-lower, upper) > WIDEST:
        why = (
            f"the bounds on the values of {game.name}, [{lower:g}, {upper:g}], are too wide to prune with "
            f"(give the evaluator and the game ranges within +-{WIDEST:.2g}, as tight as can be, or count "
            "utilities in greater units)"
        )
        return why, -math.inf, math.inf
    return None, lower, upper


def _all_moves(state: Any, player: int, depth: int) -> Any:
    return state.legal_actions()


def _no_joint_moves(*node: Any) -> float:
    raise AssertionError("the engine searches games in which players move in turn")


def best_leaf(
    leaves: Callable[[list[Any]], list[float]], state: Any, player: int, context: SearchContext
) -> float:
    """Returns the value of a decision node one ply above the horizon: its best successor's, or the mean of a
    modelled opponent's replies. All successors are valued in one call.
    """
    replies = None
    if player == context.modelled and context.opponent is not None:
        replies = context.opponent.replies(state)
        children = [state.child(action) for action, _ in replies]
    elif context.last is not None:
        children = context.last(state, player)
    else:
        children = [state.child(action) for action in state.legal_actions()]
    context.nodes += len(children)
    if context.nodes >= context.check_at:
        context.check()
    values = leaves(children)
    if replies is not None:
        mean = 0.0  # added up as in the native engine; `sum` is more exact from Python 3.12 on
        for (_, chance), value in zip(replies, values, strict=True):
            mean += chance * value
        return mean
    return max(values) if player == 0 else min(values)
