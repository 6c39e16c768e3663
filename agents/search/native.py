"""Provides the native engine: converts a search's options and calls the C++ core."""

import contextlib
import copy
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import pyspiel

from starspiel.agents.evaluators.base import (
    Evaluator,
    by_position,
    core_counterpart,
    not_by_position,
    value_range,
)
from starspiel.agents.native_positions import for_core
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.context import NOBODY, BudgetSpentError
from starspiel.agents.search.core_choice import chosen_core
from starspiel.agents.search.core_values import core_values
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.maxn_engine import maxn_notes
from starspiel.agents.search.move_filters import scaled_filters
from starspiel.agents.search.options import Options
from starspiel.agents.search.probcut import margins
from starspiel.agents.search.result import Statistics
from starspiel.envs.base import Game
from starspiel.envs.errors import EvaluatorError, StarspielError
from starspiel.envs.openspiel.keys import text_key

#: Numbers that serve as infinity and fit C++ integers, for probes and for nodes.
_MANY, _MANY_NODES = 1 << 30, 1 << 60

#: Version number in the state of a random.Random.
_RANDOM_VERSION = 3

#: Seconds of a time limit reserved for making the result; the core itself reserves time to free the table.
_TIDYING_UP = 0.002


def native_engine(
    root: Any,
    game: Game,
    evaluator: Evaluator,
    limits: Limits,
    options: Options,
    opponent: Opponent | None = None,
) -> "NativeEngine | None":
    """Returns the native engine for a search from `root`, or None if the core does not support the search.
    Raises StarspielError if it does not and the options require the native engine.
    """
    started = time.perf_counter()
    core = chosen_core(options.engine, root, game)
    if core is None:
        return None
    return NativeEngine(core, root, game, evaluator, limits, options, opponent, started)


class NativeEngine:
    """The searches of native/search.hpp and native/maxn.hpp, as a `SearchEngine` of the driver.

    Its clock starts at `started`. In max^n, values are vectors.

    Merging, ordering and the table need keys. The core has keys for the games that it has a model of and,
    except for merging, for games whose text shows the position. For other games these options are off. They
    are also off for evaluators and opponents that do not depend on the position alone.
    """

    name = "native"

    def __init__(
        self,
        core: Any,
        state: Any,
        game: Game,
        evaluator: Evaluator,
        limits: Limits,
        options: Options,
        opponent: Opponent | None,
        started: float,
    ) -> None:
        self._core, self._evaluator = core, evaluator
        values = core_values(evaluator, game, options, state.current_player())
        self.filters = scaled_filters(options.filters, *values.told["bounds"])
        root = for_core(core, state)
        counterpart = core_counterpart(evaluator, core, root, game)
        many = None if values.leaves is None else core.batch_function(values.leaves)
        in_python = many or values.leaf
        repeatable = by_position(evaluator) and (opponent is None or opponent.by_position)
        how = core.Options(
            **values.told,
            probes=min(options.probe_moves, _MANY),
            value_range=value_range(evaluator, game) or (-math.inf, math.inf),
            merge=options.merge if repeatable else False,
            order=options.order and repeatable,
            table_bytes=options.table_bytes if repeatable else 0,
            threads=options.usable_threads if limits.nodes is None else 1,
            opponent=NOBODY if opponent is None else 1 - state.current_player(),
            filter=None if self.filters is None else self.filters.told,
            fits=margins(options, evaluator),
        )
        key = text_key(state.get_game()) if isinstance(state, pyspiel.State) else None
        policy = None if opponent is None or opponent.policy is None else opponent.chances
        try:
            try:
                self._engine = core.Engine(root, True, counterpart or in_python, how, key, policy)
            except ValueError:  # the core has no heuristic for these parameters
                if counterpart is None:
                    raise
                counterpart = None
                self._engine = core.Engine(root, True, in_python, how, key, policy)
        except MemoryError:
            if not (options.table_bytes and repeatable):
                raise
            raise StarspielError(
                f"there is not enough memory for table_mb={options.table_mb}; give a smaller one, or None "
                "for no table."
            ) from None
        self._random_games = counterpart if hasattr(counterpart, "random_state") else None
        self.unbounded, self.perspective = values.unbounded, values.perspective
        self._in_vectors = values.are_vectors
        self.notes = (
            *(maxn_notes(game, evaluator, options) if self._in_vectors else ()),
            *_notes(game, evaluator, options, opponent, self._engine, counterpart is None),
        )
        self._begin(limits, started)

    def _begin(self, limits: Limits, started: float) -> None:
        self._limits, self._started = limits, started
        self._counts: Counter[str] = Counter()

    def with_limits(self, limits: Limits) -> "NativeEngine":
        """Returns an engine that shares the table, but not the counters."""
        other = copy.copy(self)
        other._begin(limits, time.perf_counter())
        return other

    @property
    def nodes(self) -> int:
        return self._counts["nodes"]

    @property
    def size(self) -> float:
        size: float = self._engine.size
        return size

    @property
    def evaluations(self) -> int:
        return self._counts["horizon"]

    def search_root(
        self, state: Any, depth: int, margin: float, values: dict[int, Any], first: Sequence[int] = ()
    ) -> None:
        nodes, seconds = self._limits.nodes, self._limits.seconds
        if nodes is not None:
            nodes = min(_MANY_NODES, max(0, int(nodes) - self.nodes))
        if seconds is not None:
            seconds -= self.elapsed() + min(_TIDYING_UP, seconds / 10)
        root = for_core(self._core, state)
        before = self._engine.counters()
        try:
            with evaluating(self._evaluator, self._random_games):
                finished, found = self._engine.root(root, depth, margin, nodes, seconds, first=list(first))
        finally:
            for name, count in self._engine.counters().items():
                self._counts[name] += count - before[name]
        if self._in_vectors:
            actions = (action for action, _ in found)
            found = zip(actions, map(tuple, self._engine.returns), strict=True)
        values.update(found)
        if not finished:
            raise BudgetSpentError

    def evaluate(self, state: Any) -> Any:
        with evaluating(self._evaluator, self._random_games):
            values: list[float] = self._engine.evaluate_all(for_core(self._core, state))
        return tuple(values) if self._in_vectors else values[0]

    def elapsed(self) -> float:
        return time.perf_counter() - self._started

    def statistics(self) -> Statistics:
        counts: dict[str, Any] = {field.name: self._counts[field.name] for field in fields(Statistics)}
        return Statistics(**counts | {"seconds": self.elapsed()})


@contextlib.contextmanager
def evaluating(evaluator: Evaluator, random_games: Any | None) -> Iterator[None]:
    """Lends the evaluator's random numbers to the core's rollouts, and names the evaluator in errors."""
    numbers: Any = getattr(evaluator, "random", None)
    if random_games is not None:
        random_games.random_state = numbers.getstate()[1]
    try:
        yield
    except ValueError as error:
        if isinstance(error, StarspielError):
            raise
        raise EvaluatorError(f"evaluator {evaluator.name}: {error}") from None
    finally:
        if random_games is not None:
            numbers.setstate((_RANDOM_VERSION, tuple(random_games.random_state), None))


def _notes(
    game: Game,
    evaluator: Evaluator,
    options: Options,
    opponent: Opponent | None,
    engine: Any,
    in_python: bool,
) -> Iterator[str]:
    if in_python:
        yield f"evaluator {evaluator.name} is written in Python and takes most of the time."
    if opponent is not None and opponent.policy is not None:
        yield f"the policy of the opponent {opponent.name} is called in Python and takes most of the time."
    if options.merge is not False or options.order or options.table_bytes:
        off = "merging, ordering and the table are"
        if not by_position(evaluator):
            yield not_by_position(evaluator, off)
        elif opponent is not None and not opponent.by_position:
            yield opponent.not_by_position(off)
        elif not engine.keyed:
            yield f"the native engine has no key for {game.name}, so {off} off."
        elif options.merge and not engine.merges:
            yield f"merging is off: the native engine has no model of {game.name}."
    usable = options.usable_threads
    if usable > len(engine.thread_seconds):
        yield (
            f"only one thread searched, not {options.threads}: more need a table, no node limit, no calls "
            "of Python, and an evaluator that values equal positions alike."
        )
    elif options.threads > usable:
        yield (
            f"{usable} of {options.threads} threads searched: this process may use {usable} "
            f"processor{'s' if usable > 1 else ''}."
        )
