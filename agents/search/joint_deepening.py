"""Searches to increasing depths from a root of simultaneous moves; finds a strategy of each player."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from starspiel.agents.matrix_game import Floats, MatrixSolution, solve_matrix_game
from starspiel.agents.search.deepening import Tell
from starspiel.agents.search.engine import PythonEngine
from starspiel.agents.search.engines import SearchEngine
from starspiel.agents.search.leaves import BudgetSpentError
from starspiel.agents.search.limits import MAX_DEPTH, Limits
from starspiel.agents.search.options import Options
from starspiel.agents.search.pace import Pace
from starspiel.agents.search.result import SearchResult, tie_tolerance
from starspiel.agents.search.simultaneous import DoubleOracle, JointMoves
from starspiel.agents.search.strategy import Strategy
from starspiel.agents.search.task import SearchTask
from starspiel.envs.base import SIMULTANEOUS, Game, has_vector_values, is_simultaneous, joint_moves
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.plays.plays import name_of


def unsearched(game: Game) -> str | None:
    """Returns why no search plays a game of simultaneous moves and what does, as the end of a sentence; None
    for a game that is searched.
    """
    if not is_simultaneous(game) or not has_vector_values(game):
        return None
    if game.num_players > 2:
        kind, cure = f"has {game.num_players} players who move at once", "CFR (pyspiel.CFRSolver)"
    else:
        kind = "has simultaneous moves and is not zero-sum"
        cure = "policy-space response oracles (open_spiel.python.algorithms.psro_v2)"
    return (
        f"{kind}: no strategy is best whatever the others do, so no search plays it. People, the agent "
        f"random and agents of your own do. For equilibria use OpenSpiel's {cure}."
    )


def check_joint_moves(game: Game, options: Options) -> None:
    """Raises UnsupportedGameError for options that games of simultaneous moves do not support."""
    if not is_simultaneous(game):
        return
    reason = unsearched(game)
    if reason is not None:
        pass
    elif options.sampling:
        reason = f"has simultaneous moves, which {options.algorithm} does not search; use star2."
    elif options.opponent not in (None, "optimal"):
        reason = 'has simultaneous moves, in which opponents are not modelled; use opponent="optimal".'
    elif options.engine == "native":
        reason = 'has simultaneous moves, which only the Python engine searches; use engine="auto".'
    if reason is not None:
        raise UnsupportedGameError(f"{game.name} {reason}")


@dataclass(frozen=True, slots=True)
class _Iteration:
    """What a search to one depth found: the players' moves, the solution, and the values against it.

    Values of moves that were only proven to be no better are NaN.
    """

    moves: JointMoves
    solution: MatrixSolution
    values: tuple[Floats, Floats]
    exact: bool


class JointDeepening:
    """The iterations of one search whose root is a node of simultaneous moves; see `Deepening`."""

    def __init__(
        self, task: SearchTask, engine: SearchEngine, limits: Limits, tell: Tell | None = None
    ) -> None:
        assert isinstance(engine, PythonEngine)  # the native engine supports only moves in turn
        self._task, self._engine, self._limits, self._tell = task, engine, limits, tell
        self._done: _Iteration | None = None
        self._depth = 0
        self._moves = [list(moves) for moves in joint_moves(task.root, task.game.num_players)]
        if task.draws_ties:  # Of equally good moves, the first ones searched form the strategy.
            for moves in self._moves:
                random.Random(task.seed).shuffle(moves)

    def run(self) -> SearchResult:
        last = self._limits.depth or MAX_DEPTH
        pace = Pace(self._engine, self._limits)
        try:
            at_once = self._limits.depth_only and self._tell is None
            for depth in range(last if at_once else 1, last + 1):
                if not pace.next_fits():
                    break
                self._done = self._iterate(depth)
                self._depth = depth
                if self._tell is not None:
                    self._tell(self._result())
                if self._done.exact or self._is_forced(self._done.moves):
                    break
                pace.finished()
        except BudgetSpentError:
            pass
        except KeyboardInterrupt:
            if self._tell is None or self._done is None:
                raise
        except RecursionError:
            raise StarspielError(
                f"{self._task.game.name} cannot be searched to depth {last}: the line of play is too "
                "long for Python's stack; give a smaller depth, or see by `starspiel check` whether chance "
                "events follow each other without end."
            ) from None
        return self._result()

    def _is_forced(self, moves: JointMoves) -> bool:
        return len(moves.rows) * len(moves.columns) == 1 and not self._limits.depth_only

    def _iterate(self, depth: int) -> _Iteration:
        engine, options = self._engine, self._task.options
        engine.nodes += 1
        engine.interior += 1
        evaluations = engine.evaluations
        moves = JointMoves(self._task.root, depth - 1, engine, self._moves, options.exact_action_values)
        if not options.prunes or (depth == 1 and engine.leaves is not None):
            solution = solve_matrix_game(moves.search_all())
        else:
            oracle = DoubleOracle(moves, engine, *self._first())
            oracle.run(-np.inf, np.inf)
            solution = _spread(oracle, (len(moves.rows), len(moves.columns)))
            engine.decision_cutoffs += not moves.is_searched
        rows, columns = _played(solution)
        if options.exact_action_values:
            moves.exact(range(len(moves.rows)), columns)
            moves.exact(rows, range(len(moves.columns)))
        low = np.array(moves.low)
        known = np.where(low < np.array(moves.high), np.nan, low)
        values = (
            known[:, columns] @ solution.columns[columns],
            solution.rows[rows] @ known[rows],
        )
        return _Iteration(moves, solution, values, engine.evaluations == evaluations)

    def _first(self) -> tuple[Sequence[int], Sequence[int]]:
        """Returns the initial moves: those that the previous iteration's strategies play."""
        return ((0,), (0,)) if self._done is None else _played(self._done.solution)

    def _strategies(self) -> tuple[Strategy, ...]:
        task, done = self._task, self._done
        found = []
        for player, actions in enumerate(self._moves):
            if done is None:  # not even one ply was completed
                chances, worth = np.full(len(actions), 1 / len(actions)), np.full(len(actions), np.nan)
            else:
                chances, worth = (done.solution.rows, done.solution.columns)[player], done.values[player]
            explain = task.options.explain
            found.append(
                Strategy(
                    player,
                    {action: float(p) for action, p in sorted(zip(actions, chances, strict=True))},
                    {a: float(v) for a, v in sorted(zip(actions, worth, strict=True)) if not np.isnan(v)},
                    {a: name_of(task.root, player, a) for a in sorted(actions)} if explain else {},
                )
            )
        return tuple(found)

    def _result(self) -> SearchResult:
        task, engine, done = self._task, self._engine, self._done
        strategies = self._strategies()
        notes = engine.notes
        if task.options.prunes and engine.unbounded is not None:
            notes = (*notes, f"{engine.unbounded}, so nothing was pruned.")
        value = engine.evaluate(task.root) if done is None else done.solution.value
        first = strategies[0]
        tolerance = tie_tolerance(engine.size)
        best = tuple(a for a, v in first.action_values.items() if v >= value - tolerance) or (
            first.most_likely,
        )
        line = tuple((each.player, each.most_likely) for each in strategies)
        explain = task.options.explain
        return SearchResult(
            value=value,
            value_to_go=value - task.game.frame(task.root)[0],
            best_action=first.most_likely,
            best_actions=best,
            soonest_actions=best,
            action_values=first.action_values,
            principal_variation=line,
            player=SIMULTANEOUS,
            depth=self._depth,
            exact=done is not None and done.exact,
            algorithm=task.options.label,
            evaluator=task.evaluator.name,
            engine=engine.name,
            statistics=engine.statistics(),
            notes=notes,
            names=first.names,
            line=tuple(each.names[each.most_likely] for each in strategies) if explain else (),
            strategies=strategies,
        )


def _spread(oracle: DoubleOracle, shape: tuple[int, ...]) -> MatrixSolution:
    """Extends the solution of a game restricted to some moves to all moves."""
    rows, columns = np.zeros(shape[0]), np.zeros(shape[1])
    rows[oracle.rows], columns[oracle.columns] = oracle.solution.rows, oracle.solution.columns
    return MatrixSolution(oracle.solution.value, rows, columns)


def _played(solution: MatrixSolution) -> tuple[list[int], list[int]]:
    """Returns the indices of the moves that each player's strategy plays."""
    return np.flatnonzero(solution.rows).tolist(), np.flatnonzero(solution.columns).tolist()
