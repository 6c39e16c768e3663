"""Which Python engine makes a search."""

from starspiel.agents.evaluators.base import by_position, not_by_position
from starspiel.agents.search.engine import PythonEngine
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.maxn_engine import MaxnEngine, maxn_notes
from starspiel.agents.search.table import IntervalTable, has_keys
from starspiel.agents.search.task import SearchTask
from starspiel.envs.base import has_vector_values


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
    if has_vector_values(task.game):
        engine: PythonEngine = MaxnEngine(task.evaluator, task.game, limits, options)
        engine.notes = (*maxn_notes(task.game, task.evaluator, options), *notes)
        return engine
    engine = PythonEngine(task.evaluator, task.game, limits, options, table, opponent)
    engine.notes = notes
    return engine
