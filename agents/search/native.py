"""The native engine from Python's side: when it applies, and what it is told."""

import contextlib
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyspiel

from starspiel.agents.evaluators.base import (
    Evaluator,
    by_position,
    core_counterpart,
    not_by_position,
    value_range,
)
from starspiel.agents.native_loader import native_status, say_if_missing
from starspiel.agents.native_positions import for_core, modelled, why_not_played
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.context import NOBODY, BudgetSpentError, SearchContext
from starspiel.agents.search.gc_pause import PAUSE, CollectorPause
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.options import Options
from starspiel.agents.search.result import Statistics
from starspiel.envs.base import Game
from starspiel.envs.errors import EvaluatorError, StarspielError
from starspiel.envs.openspiel.keys import text_key

#: More probes than there are moves, and more nodes than there is time for; numbers that C++ can hold.
_MANY, _MANY_NODES = 1 << 30, 1 << 60

#: What the core calls the rules of `text_key`.
_KEY_RULES = {
    None: "NONE",
    "text": "TEXT",
    "text and move": "TEXT_AND_MOVE",
    "text and observation": "TEXT_AND_OBSERVATION",
}

#: Of the state of a random.Random.
_RANDOM_VERSION = 3


def native_engine(
    root: Any,
    game: Game,
    evaluator: Evaluator,
    limits: Limits,
    options: Options,
    opponent: Opponent | None = None,
) -> "NativeEngine | None":
    """The native engine for a search from `root`; None where it does not apply.

    Raises StarspielError where the options require it and it does not apply.
    """
    started = time.perf_counter()
    required = options.engine == "native"
    status = native_status()
    reason = None
    if status.module is None:
        reason = f"the native core is not available: {status.reason}"
        if not required and (isinstance(root, pyspiel.State) or modelled(game)):
            say_if_missing()
    else:
        reason = why_not_played(status.module, root, game)
    if reason is not None:
        if required:
            raise StarspielError(f'{reason} Use engine="auto" or "python".')
        return None
    threads = options.usable_threads if limits.nodes is None else 1
    prepared = _prepared(status.module, root, game, evaluator, options, opponent, threads)
    return NativeEngine(prepared, limits, started)


def native_luck(evaluator: Evaluator, game: Game, state: Any, actions: Sequence[int]) -> float | None:
    """Player 0's luck in `actions`, which begin at the chance node `state`, as in evaluation/luck.py.

    None if `native_values` is None for the state after the first of them.
    """
    engine = _valuing(evaluator, game, state, state.child(actions[0]))
    luck: float | None = None if engine is None else engine.luck(_given(state), actions)
    return luck


def native_values(evaluator: Evaluator, game: Game, state: Any) -> Callable[[Any], float] | None:
    """The values of states that are not terminal by the evaluator's counterpart in the core, from `state` on.

    None if the core is not in use, does not play the game, or has no counterpart that goes by the position
    alone; also if that knows no positions before chance has placed the pieces.
    """
    engine = _valuing(evaluator, game, state, state)
    return None if engine is None else lambda reached: engine.evaluate(_given(reached))


def _given(state: Any) -> Any:
    return for_core(native_status().module, state)


def _valuing(evaluator: Evaluator, game: Game, state: Any, begin: Any) -> Any | None:
    """An engine that only values states, from `begin` on; None if it cannot value what follows `state`."""
    core = native_status().module
    if core is None or why_not_played(core, state, game) is not None:
        return None
    root = for_core(core, begin)
    counterpart = core_counterpart(evaluator, core, root, game)
    if counterpart is None:
        return None
    wide = (-math.inf, math.inf)
    off = core.Options(
        prune=False, probes=0, bounds=wide, value_range=wide, merge=False, order=False, table_bytes=0
    )
    try:
        engine = core.Engine(root, True, counterpart, off)
    except ValueError:  # no heuristic before the pieces are placed
        return None
    return engine if engine.by_position else None


#: Seconds of a time limit that are kept for making the result; the core keeps what freeing the table takes.
_TIDYING_UP = 0.002


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What the searches of one tree share: the core's engine, which keeps the table, and its evaluator.

    Attributes:
        core: the native module.
        engine: its `Engine`.
        evaluator: the name of the evaluator.
        rollouts: the core's random games and where their random numbers come from; None for other evaluators.
        unbounded, notes: as in `SearchEngine`.
    """

    core: Any
    engine: Any
    evaluator: str
    rollouts: tuple[Any, random.Random] | None
    unbounded: str | None
    notes: tuple[str, ...]

    def evaluate(self, state: Any) -> float:
        with self.evaluating():
            value: float = self.engine.evaluate(for_core(self.core, state))
        return value

    @contextlib.contextmanager
    def evaluating(self) -> Iterator[None]:
        """Lends the core the evaluator's random numbers, and names the evaluator where it fails."""
        if self.rollouts is not None:
            games, numbers = self.rollouts
            games.random_state = numbers.getstate()[1]
        try:
            yield
        except ValueError as error:
            if isinstance(error, StarspielError):
                raise
            raise EvaluatorError(f"evaluator {self.evaluator}: {error}") from None
        finally:
            if self.rollouts is not None:
                numbers.setstate((_RANDOM_VERSION, tuple(games.random_state), None))


def _prepared(
    core: Any,
    state: Any,
    game: Game,
    evaluator: Evaluator,
    options: Options,
    opponent: Opponent | None,
    threads: int,
) -> _Prepared:
    """The core's engine, told how to search.

    Merging, ordering and the table need keys, which the core has for the games it has a model of, and, but
    for merging, for those whose text shows the position; for others they are off, and so they are for
    evaluators and opponents that do not go by the position alone.
    """
    # For its bounds and its checks of a value.
    context = SearchContext(evaluator, game, Limits(depth=1), options)
    root = for_core(core, state)
    counterpart = core_counterpart(evaluator, core, root, game)
    many = None if context.leaves is None else core.States(context.leaves)
    call = counterpart or many or context.leaf
    repeatable = by_position(evaluator) and (opponent is None or opponent.by_position)
    low, high = value_range(evaluator, game) or (-math.inf, math.inf)
    how = core.Options(
        prune=options.prunes,
        probes=min(options.probe_moves, _MANY),
        bounds=(context.lower, context.upper),
        value_range=(low, high),
        merge=options.merge if repeatable else False,
        order=options.order and repeatable,
        table_bytes=options.table_bytes if repeatable else 0,
        threads=threads,
        opponent=NOBODY if opponent is None else 1 - state.current_player(),
        error=1.0 if opponent is None else opponent.error,
        extension=options.quiescence,
    )
    rule = text_key(state.get_game()) if isinstance(state, pyspiel.State) else None
    key = getattr(core.KeyRule, _KEY_RULES[rule])
    policy = None if opponent is None or opponent.policy is None else opponent.chances
    said_by_game = not callable(getattr(evaluator, "quiet", None))
    quiet = context.quiet if options.quiescence else None
    if said_by_game and core.quiet(root) is not None:  # the core's model says the same
        quiet = None
    try:
        engine = core.Engine(root, True, call, how, key, policy, quiet)
    except ValueError as error:
        if counterpart is None:
            raise
        raise EvaluatorError(f"evaluator {evaluator.name} does not support {game.name}: {error}") from None
    except MemoryError:
        if not (options.table_bytes and repeatable):
            raise
        raise StarspielError(
            f"there is not enough memory for table_mb={options.table_mb}; give a smaller one, or None "
            "for no table."
        ) from None
    numbers: Any = getattr(evaluator, "random", None)
    return _Prepared(
        core,
        engine,
        evaluator.name,
        (call, numbers) if hasattr(call, "random_state") else None,
        context.unbounded,
        tuple(_notes(game, evaluator, options, opponent, engine, in_python=counterpart is None)),
    )


def _notes(
    game: Game,
    evaluator: Evaluator,
    options: Options,
    opponent: Opponent | None,
    engine: Any,
    *,
    in_python: bool,
) -> Iterator[str]:
    if in_python:
        yield f"evaluator {evaluator.name} is Python: it takes most of the time."
    repeatable = by_position(evaluator)
    if opponent is not None and opponent.policy is not None:
        yield f"the policy of the opponent {opponent.name} is asked in Python: it takes most of the time."
    if options.merge is not False or options.order or options.table_bytes:
        off = "merging, ordering and the table are"
        if not repeatable:
            yield not_by_position(evaluator, off)
        elif opponent is not None and not opponent.by_position:
            yield opponent.not_by_position(off)
        elif not engine.keyed:
            yield f"the native engine has no key for {game.name}, so {off} off."
        elif options.merge and not engine.merges:
            yield f"merging is off: the native engine has no model of {game.name}."
    if options.usable_threads > len(engine.thread_seconds):
        yield (
            f"one thread searched, not {options.threads}: more of them need a table, no node limit, nobody "
            "to ask in Python, and an evaluator that goes by the position."
        )
    elif options.threads > (usable := options.usable_threads):
        yield (
            f"{usable} of {options.threads} threads searched: this process may use {usable} "
            f"processor{'s' if usable > 1 else ''}."
        )


class NativeEngine:
    """The searches of native/search.hpp, as the driver's `SearchEngine`; its clock runs from `started`."""

    name = "native"

    def __init__(self, prepared: _Prepared, limits: Limits, started: float) -> None:
        self.notes = prepared.notes
        self._prepared = prepared
        self._limits = limits
        self._started = started
        self._collector = CollectorPause()
        self._counts: Counter[str] = Counter()

    @property
    def unbounded(self) -> str | None:
        return self._prepared.unbounded

    @property
    def nodes(self) -> int:
        return self._counts["nodes"]

    @property
    def size(self) -> float:
        size: float = self._prepared.engine.size
        return size

    @property
    def evaluations(self) -> int:
        return self._counts["horizon"]

    def search_root(
        self, state: Any, depth: int, share: bool, values: dict[int, float], first: Sequence[int] = ()
    ) -> None:
        nodes, seconds = self._limits.nodes, self._limits.seconds
        if nodes is not None:
            nodes = min(_MANY_NODES, max(0, int(nodes) - self.nodes))
        if seconds is not None:
            seconds -= self.elapsed() + min(_TIDYING_UP, seconds / 10)
            self._pause_when_late()
        engine = self._prepared.engine
        root = for_core(self._prepared.core, state)
        before = engine.counters()
        try:
            with self._prepared.evaluating():
                finished, found = engine.root(
                    root, depth, share, nodes, seconds, self._pause_when_late, list(first)
                )
        finally:
            for name, count in engine.counters().items():
                self._counts[name] += count - before[name]
        values.update(found)
        if not finished:
            raise BudgetSpentError

    def _pause_when_late(self) -> None:
        """Keeps the garbage collector out of the end of the search; the core calls it every 25 ms."""
        seconds = self._limits.seconds
        if seconds is not None and seconds - self.elapsed() <= PAUSE:
            self._collector.begin()

    def evaluate(self, state: Any) -> float:
        return self._prepared.evaluate(state)

    def with_limits(self, limits: Limits) -> "NativeEngine":
        """Shares the table, not the counters."""
        return NativeEngine(self._prepared, limits, time.perf_counter())

    def finish(self) -> None:
        self._collector.end()

    def elapsed(self) -> float:
        return time.perf_counter() - self._started

    def statistics(self) -> Statistics:
        counts = self._counts
        return Statistics(
            nodes=counts["nodes"],
            leaves=counts["leaves"],
            decision_cutoffs=counts["decision_cutoffs"],
            chance_cutoffs=counts["chance_cutoffs"],
            probes=counts["probes"],
            probes_won=counts["probes_won"],
            unprobed=counts["unprobed"],
            table_hits=counts["table_hits"],
            merged_outcomes=counts["merged_outcomes"],
            merged_moves=counts["merged_moves"],
            seconds=self.elapsed(),
        )
