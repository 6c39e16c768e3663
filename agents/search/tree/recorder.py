"""Records a Python search to one depth: the nodes visited, their windows and values.

Nodes search their successors through `SearchContext.visit`, which the recorder replaces. It identifies nodes
by their states, which it wraps, and the kinds of visits by the counters. So the tree drawn is the tree that
was searched.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import pyspiel

from starspiel.agents.evaluators.base import by_position
from starspiel.agents.evaluators.unwrapping import UnwrappingEvaluator
from starspiel.agents.search.context import SearchContext
from starspiel.agents.search.engines import python_engine
from starspiel.agents.search.leaves import BudgetSpentError
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.result import Statistics
from starspiel.agents.search.task import SearchTask
from starspiel.agents.search.tree.visit import Record, Source, Visit
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError

#: The most nodes that are recorded, since each keeps its state.
MAX_RECORDED = 100_000


class TooLargeError(StarspielError):
    """The tree cannot be recorded: it has too many nodes, or is too deep for Python's stack."""


class RecordedState:
    """A State with its place in the recorded tree; delegates to `state`."""

    __slots__ = ("record", "state")

    def __init__(self, state: Any, record: Record) -> None:
        self.state = state
        self.record = record

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def current_player(self) -> int:
        return self.record.player

    def child(self, action: int) -> "RecordedState":
        record = self.record.children.get(action)
        if record is None:
            record = self.record.children[action] = Record(self.state.child(action), self.record)
        return RecordedState(record.state, record)

    def __str__(self) -> str:
        return str(self.state)


class _RecordedGame:
    """The game of recorded states, with the keys and frames of the states they wrap; delegates to `game`."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def key(self, state: RecordedState) -> Any:
        # OpenSpiel's states do not use a table: see `has_keys`.
        return None if isinstance(state.state, pyspiel.State) else self._game.key(state.state)

    def frame(self, state: RecordedState) -> tuple[float, float]:
        return self._game.frame(state.state)


class VisitRecorder:
    """Stores the visits of one search in the records of its states.

    Attributes:
        root: the record of the root; the caller sets the value of its visit.
    """

    def __init__(self, root: Any, depth: int) -> None:
        self.root = Record(root, None)
        self.root.visits.append(Visit(depth, None))
        self._under_way = [(self.root, self.root.visits[0])]

    def around(self, function: Callable[..., float], context: SearchContext) -> Callable[..., float]:
        """Returns `function`, called with state, depth and perhaps the window, with recorded visits."""

        def visit(state: RecordedState, depth: int, *rest: Any) -> float:
            node, within = self._under_way[-1]
            record = state.record
            this = Visit(depth, within, probe=record.parent is not node)
            if len(rest) == 3:  # alpha, beta, context
                this.alpha, this.beta = rest[0], rest[1]
            record.visits.append(this)
            interior, hits = context.interior, context.table_hits
            self._under_way.append((record, this))
            try:
                value: float = function(state, depth, *rest)
            finally:
                self._under_way.pop()
            this.value = value
            if context.interior == interior:
                this.source = Source.TABLE if context.table_hits > hits else _read_off(state)
            elif context.cut_last is state:
                this.source = Source.PROBCUT
            return value

        return visit

    def around_leaves(self, leaves: Callable[[list[Any]], list[float]]) -> Callable[[list[Any]], list[float]]:
        """Returns `leaves` with recorded visits."""

        def recorded(states: list[RecordedState]) -> list[float]:
            values = leaves(states)
            _, within = self._under_way[-1]
            for state, value in zip(states, values, strict=True):
                state.record.visits.append(Visit(0, within, value=value, source=_read_off(state)))
            return values

        return recorded


def _read_off(state: RecordedState) -> Source:
    return Source.TERMINAL if state.is_terminal() else Source.EVALUATOR


def record_search(
    task: SearchTask, depth: int, kept: Sequence[int]
) -> tuple[Record, Statistics, tuple[float, float]]:
    """Returns the recorded search of a decision node to `depth` plies: the root's record, the cost of the
    search, and bounds on all values.

    `kept`: the root's actions that filters kept; empty if there were no filters.

    Raises TooLargeError if it visits more than MAX_RECORDED nodes, or is too deep for Python's stack.
    """
    game, evaluator, options = task.game, task.evaluator, task.options
    recorder = VisitRecorder(task.root, depth)
    root = RecordedState(task.root, recorder.root)
    recorded = SearchTask(
        root,
        cast(Game, _RecordedGame(game)),
        UnwrappingEvaluator(evaluator, by_position(evaluator)),
        options,
        task.opponent and task.opponent.of_inner(),
    )
    engine = python_engine(recorded, Limits(depth=depth, nodes=MAX_RECORDED))
    engine.record(recorder)
    values: dict[int, float] = {}
    try:
        engine.search_root(root, depth, math.inf if options.exact_action_values else 0.0, values, kept)
    except (BudgetSpentError, RecursionError) as error:
        why = "is too deep for Python's stack"
        if isinstance(error, BudgetSpentError):
            why = f"has more than {MAX_RECORDED:,} nodes, too many to record"
        raise TooLargeError(
            f"the tree of a search of {game.name} to depth {depth} {why}; give a smaller depth."
        ) from None
    best = max if root.current_player() == 0 else min
    recorder.root.visits[0].value = best(values.values())
    return recorder.root, engine.statistics(), (engine.lower, engine.upper)
