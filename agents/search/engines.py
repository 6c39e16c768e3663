"""Makes the engine of a search: one of the Python engines, or the native one."""

from typing import TypeVar, cast

from starspiel.agents.evaluators.base import by_position, not_by_position
from starspiel.agents.search.engine import PythonEngine
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.maxn_engine import MaxnEngine, maxn_notes
from starspiel.agents.search.native import NativeEngine
from starspiel.agents.search.paranoid import ParanoidEngine, ParanoidEvaluator, ParanoidGame
from starspiel.agents.search.table import IntervalTable, VectorTable, has_keys
from starspiel.agents.search.task import SearchTask
from starspiel.envs.base import Game, has_vector_values

#: An engine: the state of one search over its iterations.
SearchEngine = PythonEngine | NativeEngine

_Table = TypeVar("_Table", IntervalTable, VectorTable)


def python_engine(task: SearchTask, limits: Limits) -> PythonEngine:
    """Returns the Python engine for a search, with a transposition table if the search supports one."""
    game, options = task.game, task.options
    notes: tuple[str, ...] = ()
    engine: PythonEngine
    if not has_vector_values(game):
        table, notes = _table(task, game, IntervalTable)
        engine = PythonEngine(task.evaluator, game, limits, options, table, task.opponent)
    elif options.opponents == "paranoid":
        player = task.root.current_player()
        seen = cast(Game, ParanoidGame(game, player))
        table, notes = _table(task, seen, IntervalTable)
        evaluator = ParanoidEvaluator(task.evaluator, game, player)
        engine = ParanoidEngine(evaluator, seen, limits, options, table, player)
    else:
        vectors, notes = _table(task, game, VectorTable)
        engine = MaxnEngine(task.evaluator, game, limits, options, vectors)
        notes = (*maxn_notes(game, task.evaluator, options), *notes)
    if options.threads > 1:
        notes = (*notes, "the Python engine searches with one thread.")
    engine.notes = notes
    return engine


def _table(task: SearchTask, game: Game, kind: type[_Table]) -> tuple[_Table | None, tuple[str, ...]]:
    """Returns the table of a search, by the keys of `game`, or None; and notes, with the reason if it is
    known.
    """
    options, opponent = task.options, task.opponent
    if options.table_mb is None or options.sampling or not has_keys(task.root, task.game):
        return None, ()
    if not by_position(task.evaluator):
        return None, (not_by_position(task.evaluator, "the table is"),)
    if opponent is not None and not opponent.by_position:
        return None, (opponent.not_by_position("the table is"),)
    return kind(game, options.table_mb), ()
