"""Records the Python engine's search of one depth: who was visited, with which window, and what came back.

Nothing in the search knows of it but that nodes search their successors through `SearchContext.visit`. Which
node a visit is of, the recorder reads off the states, which it wraps; what kind of visit it was, off the
counters. So the tree that is drawn is the tree that was searched.
"""

from collections.abc import Callable
from typing import Any, cast

import pyspiel

from starspiel.agents.evaluators.base import Evaluator, by_position, quiet_of
from starspiel.agents.evaluators.unwrapping import UnwrappingEvaluator
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.context import BudgetSpentError, SearchContext
from starspiel.agents.search.engine import python_engine
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.options import Options
from starspiel.agents.search.result import Statistics
from starspiel.agents.search.tree.visit import Record, Source, Visit
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError

#: The most nodes that are recorded; each keeps its state.
MAX_RECORDED = 100_000


class TooLargeError(StarspielError):
    """A search has a tree that cannot be recorded: too many nodes, or too deep for Python's stack."""


class RecordedState:
    """A State that knows its place in the recorded tree; otherwise it is `state`."""

    __slots__ = ("record", "state")

    def __init__(self, state: Any, record: Record) -> None:
        self.state = state
        self.record = record

    def current_player(self) -> int:
        return self.record.player

    def is_terminal(self) -> bool:
        return bool(self.state.is_terminal())

    def is_chance_node(self) -> bool:
        return bool(self.state.is_chance_node())

    def legal_actions(self) -> Any:
        return self.state.legal_actions()

    def chance_outcomes(self) -> Any:
        return self.state.chance_outcomes()

    def child(self, action: int) -> "RecordedState":
        record = self.record.children.get(action)
        if record is None:
            record = self.record.children[action] = Record(self.state.child(action), self.record)
        return RecordedState(record.state, record)

    def returns(self) -> Any:
        return self.state.returns()

    def action_to_string(self, player: int, action: int) -> str:
        return str(self.state.action_to_string(player, action))

    def get_game(self) -> Any:
        return self.state.get_game()

    def __str__(self) -> str:
        return str(self.state)


class _RecordedGame:
    """A game that keys and frames recorded states by what they stand for; otherwise it is `game`."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def key(self, state: RecordedState) -> Any:
        # OpenSpiel's states go without a table: see `has_keys`.
        return None if isinstance(state.state, pyspiel.State) else self._game.key(state.state)

    def frame(self, state: RecordedState) -> tuple[float, float]:
        return self._game.frame(state.state)


class VisitRecorder:
    """Keeps the visits of one search, in the records that its states know.

    Attributes:
        root: the record of the root, whose visit's value the caller fills in.
    """

    def __init__(self, root: Any, depth: int) -> None:
        self.root = Record(root, None)
        self.root.visits.append(Visit(depth, None))
        self._under_way = [(self.root, self.root.visits[0])]

    def around(self, function: Callable[..., float], context: SearchContext) -> Callable[..., float]:
        """`function` (state, depth, and the window where it has one), recorded."""

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
            return value

        return visit

    def around_leaves(self, leaves: Callable[[list[Any]], list[float]]) -> Callable[[list[Any]], list[float]]:
        """`leaves`, recorded."""

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
    state: Any,
    game: Game,
    evaluator: Evaluator,
    options: Options,
    depth: int,
    opponent: Opponent | None = None,
) -> tuple[Record, Statistics, tuple[float, float]]:
    """The recorded search of a decision node to `depth` plies: the root, its cost, and bounds on all values.

    Raises TooLargeError where it visits more than MAX_RECORDED nodes, or is too deep for Python's stack.
    """
    recorder = VisitRecorder(state, depth)
    root = RecordedState(state, recorder.root)
    limits = Limits(depth=depth, nodes=MAX_RECORDED)
    engine = python_engine(
        root,
        cast(Game, _RecordedGame(game)),
        UnwrappingEvaluator(evaluator, by_position(evaluator), quiet_of(evaluator, game)),
        limits,
        options,
        opponent and opponent.of_inner(),
    )
    engine.record(recorder)
    values: dict[int, float] = {}
    try:
        engine.search_root(root, depth, not options.exact_action_values, values)
    except BudgetSpentError:
        raise TooLargeError(
            f"the tree of a search of {game.name} to depth {depth} has more than {MAX_RECORDED:,} nodes, too "
            "many to record; give a smaller depth."
        ) from None
    except RecursionError:
        raise TooLargeError(
            f"the tree of a search of {game.name} to depth {depth} is too deep for Python's stack; give a "
            "smaller depth."
        ) from None
    finally:
        engine.finish()
    recorder.root.visits[0].value = (
        max(values.values()) if root.current_player() == 0 else min(values.values())
    )
    return recorder.root, engine.statistics(), engine.bounds
