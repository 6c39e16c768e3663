"""Searches to increasing depths until a limit is reached (iterative deepening)."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from starspiel.agents.evaluators.base import small_of
from starspiel.agents.search.engines import SearchEngine
from starspiel.agents.search.iteration import Iteration
from starspiel.agents.search.leaves import BudgetSpentError
from starspiel.agents.search.limits import MAX_DEPTH, Limits
from starspiel.agents.search.move_filters import MoveFilters
from starspiel.agents.search.pace import Pace
from starspiel.agents.search.result import SearchResult, Statistics, tie_tolerance
from starspiel.agents.search.sampling import undrawn
from starspiel.agents.search.task import SearchTask
from starspiel.agents.search.tie_breaking import searched_again, soonest_of
from starspiel.agents.search.variation import Line, in_words, principal_variation
from starspiel.agents.search.vector_leaves import Vector
from starspiel.envs.base import collected_by, has_vector_values
from starspiel.envs.errors import StarspielError
from starspiel.envs.plays import play_names

#: Called with the result after each iteration.
Tell = Callable[[SearchResult], None]


class Deepening:
    """The iterations of one search; `run` returns the result of the deepest completed one.

    If depth is the only limit, there is one iteration at that depth. If `tell` is given, it is called with
    the result after each iteration from depth 1 on, and Ctrl-C ends the search like a limit.
    """

    def __init__(
        self, task: SearchTask, engine: SearchEngine, limits: Limits, tell: Tell | None = None
    ) -> None:
        self._task, self._engine, self._limits, self._tell = task, engine, limits, tell
        self._player = task.root.current_player()
        self._actions = task.root.legal_actions()
        self._done: Iteration | None = None
        self._depth = 0
        self._searched = len(self._actions)  # number of actions searched in the deepest completed iteration
        self._best: tuple[int, ...] = ()
        self._soonest: tuple[int, ...] = ()
        self._line: Line = ()
        self._earlier: list[tuple[int, ...]] = []
        self._values: dict[int, Any] = {}  # by action, of the current iteration
        self._returns: Vector | None = None
        self._unfinished: Mapping[int, float] = {}
        self._notes: list[str] = []

    def run(self) -> SearchResult:
        last = self._limits.depth or MAX_DEPTH
        pace = Pace(self._engine, self._limits)
        try:
            for depth in range(last if self._at_once else 1, last + 1):
                if not pace.next_fits():
                    break
                is_final = self._is_final(self._iterate(depth))
                if self._tell is not None:
                    self._tell(self._result())
                if is_final:
                    break
                pace.finished()
        except BudgetSpentError:
            self._count_the_unfinished()
        except KeyboardInterrupt:
            if self._tell is None or self._done is None:
                raise
            self._count_the_unfinished()
        except RecursionError:
            if self._done is None:
                raise StarspielError(
                    f"{self._task.game.name} cannot be searched to depth {last}: the line of play is too "
                    "long for Python's stack; give a smaller depth, or see by `starspiel check` whether "
                    "chance events follow each other without end."
                ) from None
            self._notes.append(
                f"depth {self._depth + 1} is too deep for Python's stack; the answer is that of depth "
                f"{self._depth}."
            )
        return self._result()

    @property
    def _at_once(self) -> bool:
        """Whether the search starts at its depth limit, without shallower iterations."""
        return self._limits.depth_only and self._tell is None and self._engine.filters is None

    def _is_final(self, done: Iteration) -> bool:
        if done.exact or (len(self._actions) == 1 and not self._limits.depth_only):
            return True
        # If the filters leave a single move, it is played without a value.
        wanted = self._task.options.exact_action_values or self._engine.filters is None
        return not wanted and len(self._promising()) == 1

    def _iterate(self, depth: int) -> Iteration:
        engine, options, root = self._engine, self._task.options, self._task.root
        first = self._promising()
        searched = len(first) if first and engine.filters is not None else len(self._actions)
        values: dict[int, Any] = {}
        self._values = values
        evaluations = engine.evaluations
        engine.search_root(root, depth, self._margin(depth), values, first)
        all_wanted = options.exact_action_values and options.filters is None
        if not values or (all_wanted and len(values) < len(self._actions)):
            raise StarspielError(
                f"{self._task.game.name} cannot be searched: expected finite returns, got infinite ones or "
                f"NaN at depth {depth} from the state\n{root}"
            )
        done = Iteration.of(engine, self._player, values, engine.evaluations == evaluations)
        self._done, self._depth, self._best = done, depth, done.best_actions
        # No line yet: it is searched for below, and after an interruption that of the last depth must not
        # remain.
        self._searched, self._soonest, self._line = searched, done.best_actions, ()
        if options.ties == "soonest":
            again = self._at_once
            shallower = searched_again(engine, root, depth, done.exact) if again else reversed(self._earlier)
            self._soonest = soonest_of(self._best, shallower)
            self._earlier.append(self._best)
        self._returns = None if done.vectors is None else done.vectors[self._soonest[0]]
        if options.explain:
            self._line = principal_variation(self._task, done, self._soonest[0], depth, engine, self._limits)
        return done

    def _margin(self, depth: int) -> float:
        """Returns how much worse than the best an action may be and still need an exact value in an
        iteration.
        """
        if self._task.options.exact_action_values:
            return math.inf
        if self._engine.filters is None or depth == self._limits.depth:
            return 0.0
        return self._engine.filters.root_after(depth).margin

    def _promising(self) -> tuple[int, ...]:
        """Returns the actions with known values that the filters keep: first the one that would be played,
        then the others, best first.
        """
        done, filters = self._done, self._engine.filters
        if done is None:
            return ()
        actions = [self._soonest[0], *(a for a in done.better_first() if a != self._soonest[0])]
        if filters is None:
            return tuple(actions)
        values = [done.values[action] for action in actions]
        kept = filters.root_after(self._depth).kept(values, done.maximises, tie_tolerance(done.size))
        return tuple(actions[place] for place in kept)

    def _count_the_unfinished(self) -> None:
        """Adopts a better action that an interrupted iteration found."""
        if self._done is None or self._soonest[0] not in self._values:
            return
        ended = Iteration.of(self._engine, self._player, self._values)
        if self._soonest[0] in ended.best_actions:
            return
        self._unfinished = ended.values
        self._best = self._soonest = ended.best_actions
        self._line = ()
        self._notes.append(
            f"the limit ended the search of {self._depth + 1} plies, which had found this move better than "
            f"the best of {self._depth}."
        )

    def _statistics(self) -> Statistics:
        statistics = self._engine.statistics()
        if self._engine.filters is None or not self._depth:
            return statistics
        left_out = len(self._actions) - self._searched
        return replace(statistics, filtered_moves=statistics.filtered_moves + left_out)

    def _result(self) -> SearchResult:
        task, engine, done, best, soonest = self._task, self._engine, self._done, self._best, self._soonest
        root, game, options = task.root, task.game, task.options
        if done is None:
            # Not even one ply was completed: take the best action tried so far, or the first legal one.
            done = Iteration.of(engine, self._player, self._values)
            best = soonest = done.best_actions if self._values else (self._actions[0],)
        notes = [*engine.notes]
        if self._unfinished:
            notes.append(self._notes.pop(0))
        if options.prunes and engine.unbounded is not None:
            notes.append(f"{engine.unbounded}, so chance nodes were not pruned.")
        if task.opponent is not None:
            notes.append(
                f"values are those of play against the opponent {task.opponent.name}, not against best play."
            )
        statistics = self._statistics()
        if statistics.filtered_moves and isinstance(options.filters, MoveFilters):
            rule = options.filters.rule(small_of(task.evaluator) is not None)
            notes.append(f"selective: {rule}, were searched; the rest were left out.")
        if statistics.probcuts:
            nodes = "chance node was" if statistics.probcuts == 1 else "chance nodes were"
            notes.append(
                f"selective: {statistics.probcuts:,} {nodes} cut off, since at one ply less the value was "
                f"outside the window by at least {options.probcut:g} x its standard error."
            )
        value = done.value if self._depth else engine.evaluate(root)
        if isinstance(value, tuple):
            self._returns, value = value, value[self._player]
        in_vectors = has_vector_values(game)
        perspective = self._player if in_vectors else engine.perspective
        line = self._line or ((self._player, soonest[0]),)
        return SearchResult(
            value=value,
            value_to_go=value - collected_by(perspective, game, undrawn(root)),
            best_action=soonest[0],
            best_actions=best,
            soonest_actions=soonest,
            action_values=done.values,
            principal_variation=line,
            player=self._player,
            depth=self._depth,
            exact=done.exact and not (options.sampling or statistics.filtered_moves or statistics.probcuts),
            algorithm=options.label,
            evaluator=task.evaluator.name,
            engine=engine.name,
            statistics=statistics,
            notes=(*notes, *self._notes),
            unfinished=self._unfinished,
            perspective=perspective,
            returns=self._returns,
            action_returns=done.vectors,
            names=play_names(game, undrawn(root)) if options.explain else {},
            line=in_words(root, line) if options.explain else (),
        )
