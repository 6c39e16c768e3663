"""The native engine from Python's side: when it applies, and what it is told."""

import contextlib
import functools
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard
from weakref import WeakKeyDictionary

import numpy as np
import pyspiel

from starspiel.agents.bearoff import one_sided, two_sided
from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators.base import Evaluator, by_position, not_by_position, value_range
from starspiel.agents.evaluators.batch import BatchEvaluator
from starspiel.agents.evaluators.bearoff import BearoffEvaluator
from starspiel.agents.evaluators.heuristics.backgammon import BackgammonHeuristic
from starspiel.agents.evaluators.heuristics.banqi import BanqiHeuristic
from starspiel.agents.evaluators.heuristics.connect_four import ConnectFourHeuristic
from starspiel.agents.evaluators.heuristics.einstein_wurfelt_nicht import EinsteinHeuristic
from starspiel.agents.evaluators.heuristics.maedn import MaednHeuristic
from starspiel.agents.evaluators.heuristics.pig import PigHeuristic
from starspiel.agents.evaluators.heuristics.twenty_forty_eight import TwentyFortyEightHeuristic
from starspiel.agents.evaluators.heuristics.yacht import YachtHeuristic
from starspiel.agents.evaluators.linear import LinearEvaluator
from starspiel.agents.evaluators.network import NetworkEvaluator
from starspiel.agents.evaluators.ntuple import NTupleEvaluator
from starspiel.agents.evaluators.rollout import RolloutEvaluator
from starspiel.agents.evaluators.solo import SoloEvaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.native_loader import native_status, say_if_missing
from starspiel.agents.native_positions import for_core, modelled, why_not_played
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.context import NOBODY, BudgetSpentError, SearchContext
from starspiel.agents.search.gc_pause import PAUSE, CollectorPause
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.options import Options
from starspiel.agents.search.result import Statistics
from starspiel.agents.solve.categories import Turn
from starspiel.envs.base import Game
from starspiel.envs.errors import EvaluatorError, StarspielError
from starspiel.envs.games.cant_stop.heuristic import CantStopHeuristic
from starspiel.envs.games.dice.heuristic import DiceHeuristic
from starspiel.envs.games.knucklebones.heuristic import KnucklebonesHeuristic
from starspiel.envs.games.pig.heuristic import StarPigHeuristic
from starspiel.envs.games.royal_game_of_ur.heuristic import RoyalGameOfUrHeuristic
from starspiel.envs.games.twenty_forty_eight.heuristic import Star2048Heuristic
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


#: The evaluators that have a native twin with the same values.
_NATIVE_EVALUATORS: dict[type, str] = {
    ZeroEvaluator: "zero",
    BackgammonHeuristic: "heuristic",
    BanqiHeuristic: "heuristic",
    EinsteinHeuristic: "heuristic",
    MaednHeuristic: "heuristic",
    PigHeuristic: "heuristic",
    CantStopHeuristic: "heuristic",
    ConnectFourHeuristic: "heuristic",
    DiceHeuristic: "heuristic",
    KnucklebonesHeuristic: "heuristic",
    RoyalGameOfUrHeuristic: "heuristic",
    Star2048Heuristic: "heuristic",
    StarPigHeuristic: "heuristic",
    TwentyFortyEightHeuristic: "heuristic",
    YachtHeuristic: "heuristic",
}


def native_luck(evaluator: Evaluator, game: Game, state: Any, actions: Sequence[int]) -> float | None:
    """Player 0's luck in `actions`, which begin at the chance node `state`, as in evaluation/play/luck.py.

    None where the core is not in use, does not play the game or has no twin of the evaluator that goes by the
    position alone, and where the evaluator does not know the positions that come next.
    """
    core = native_status().module
    if core is None or why_not_played(core, state, game) is not None:
        return None
    engine = _valuing(core, evaluator, game, state.child(actions[0]))
    luck: float | None = None if engine is None else engine.luck(for_core(core, state), actions)
    return luck


def native_values(evaluator: Evaluator, game: Game, state: Any) -> Callable[[Any], float] | None:
    """The evaluator's values of states that are not terminal, by its twin in the core.

    None where `native_luck` is, for the positions that follow on `state`.
    """
    core = native_status().module
    if core is None or why_not_played(core, state, game) is not None:
        return None
    engine = _valuing(core, evaluator, game, state)
    return None if engine is None else lambda reached: engine.evaluate(for_core(core, reached))


def _valuing(core: Any, evaluator: Evaluator, game: Game, state: Any) -> Any | None:
    """An engine that only values states, from `state` on."""
    repeatable = (*_NATIVE_EVALUATORS, NetworkEvaluator, NTupleEvaluator, SoloEvaluator)
    if type(getattr(evaluator, "inner", evaluator)) not in repeatable:
        return None
    twin = _native_evaluator(core, state, game, evaluator)
    if twin is None:
        return None
    wide = (-math.inf, math.inf)
    off = core.Options(
        prune=False, probes=0, bounds=wide, value_range=wide, merge=False, order=False, table_bytes=0
    )
    try:
        return core.Engine(for_core(core, state), True, twin, off)
    except ValueError:  # no heuristic before the pieces are placed
        return None


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
    twin = _native_evaluator(core, state, game, evaluator)
    many = None if context.leaves is None else core.States(context.leaves)
    call = twin or many or context.leaf
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
        deeper=options.deeper,
        threads=threads,
        opponent=NOBODY if opponent is None else 1 - state.current_player(),
        error=1.0 if opponent is None else opponent.error,
        extension=options.quiescence,
    )
    rule = text_key(state.get_game()) if isinstance(state, pyspiel.State) else None
    key = getattr(core.KeyRule, _KEY_RULES[rule])
    policy = None if opponent is None or opponent.policy is None else opponent.chances
    quiet = context.quiet if options.quiescence and not _core_says_quiet(core, state, evaluator) else None
    try:
        engine = core.Engine(for_core(core, state), True, call, how, key, policy, quiet)
    except ValueError as error:
        if twin is None:
            raise
        raise EvaluatorError(f"evaluator {evaluator.name} is none for {game.name}: {error}") from None
    except MemoryError:
        if not (options.table_bytes and repeatable):
            raise
        raise StarspielError(
            f"there is not enough memory for table_mb={options.table_mb}; give a smaller one, or None "
            "for no table."
        ) from None
    return _Prepared(
        core,
        engine,
        evaluator.name,
        (call, evaluator.random) if _has_core_rollouts(evaluator) else None,
        context.unbounded,
        tuple(_notes(game, evaluator, options, opponent, engine, in_python=twin is None)),
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
        if type(evaluator) is RolloutEvaluator:
            yield f"{evaluator.name} values a position differently every time, so {off} off."
        elif not repeatable:
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
    if options.deeper and options.table_bytes and repeatable and engine.keyed:
        yield "entries of deeper searches were used: values are of this depth or more."


def _core_says_quiet(core: Any, state: Any, evaluator: Evaluator) -> bool:
    """Whether it is the game that says what is quiet, and the core's model of it says the same."""
    return not callable(getattr(evaluator, "quiet", None)) and core.quiet(for_core(core, state)) is not None


def _has_core_rollouts(evaluator: Evaluator) -> TypeGuard[RolloutEvaluator]:
    """Whether the core plays the evaluator's random games; it plays them to their end."""
    return type(evaluator) is RolloutEvaluator and evaluator.depth is None


def _native_evaluator(core: Any, state: Any, game: Game, evaluator: Evaluator) -> Any | None:
    """What the core calls the evaluator's twin; None where it has none."""
    if _has_core_rollouts(evaluator):
        return core.Rollouts(evaluator.n)
    if type(evaluator) is LinearEvaluator and isinstance(state, pyspiel.State):
        if not state.get_game().get_type().provides_observation_tensor:
            raise StarspielError(f"{game.name} has no observation tensor for {evaluator.name}.")
        evaluator.check(state.get_game().observation_tensor_size())
        return core.Linear(evaluator.weights, evaluator.bias, evaluator.range)
    if type(evaluator) is NetworkEvaluator or type(evaluator) is NTupleEvaluator:
        return _native_network(core, evaluator)
    if type(evaluator) is SoloEvaluator:
        return _native_solo(core, evaluator)
    if type(evaluator) is BearoffEvaluator:
        drawn = isinstance(evaluator.inner, RolloutEvaluator)  # its random numbers are lent to it alone
        other = None if drawn else _native_evaluator(core, state, game, evaluator.inner)
        return None if other is None else core.BearoffFirst(_native_bearoff(core), other)
    if isinstance(evaluator, BatchEvaluator) and _core_encodes(core, state, game, evaluator):
        return core.Arrays(evaluator.own_values, len(evaluator.encoder.units))
    return _NATIVE_EVALUATORS.get(type(evaluator))


#: The core's copies of networks: to make one takes as long as a search of one ply.
_NETWORKS: WeakKeyDictionary[NetworkEvaluator | NTupleEvaluator, Any] = WeakKeyDictionary()


def _native_network(core: Any, evaluator: NetworkEvaluator | NTupleEvaluator) -> Any:
    if evaluator not in _NETWORKS:
        _NETWORKS[evaluator] = _made_network(core, evaluator)
    return _NETWORKS[evaluator]


def _made_network(core: Any, evaluator: NetworkEvaluator | NTupleEvaluator) -> Any:
    if isinstance(evaluator, NetworkEvaluator):
        network = evaluator.network
        return core.Network(network.layers, evaluator.encoder.units, network.range)
    tuples = evaluator.network
    return core.NTuples(
        tuples.rows, tuples.columns, tuples.patterns, tuples.weights, tuples.base, tuples.unit
    )


#: The core's tables, by the rules that they are of; those of Python are the same for all games of such rules.
_TABLES: dict[Turn, Any] = {}


def _native_solo(core: Any, evaluator: SoloEvaluator) -> Any:
    rules = evaluator.rules
    turn = rules.turn
    if turn not in _TABLES:
        index = np.full((turn.dice + 1) ** turn.sides, -1, dtype=np.int32)
        for kept, number in turn.index.items():
            index[sum(turn.codes[die - 1] for die in kept)] = number
        _TABLES[turn] = core.Solo(
            dice=turn.dice,
            throws=turn.throws,
            first_roll=turn.first_roll,
            codes=turn.codes,
            index=index.tolist(),
            scores=rules.scores.tolist(),
            chances=turn.chances.tolist(),
            choices=turn.choices.tolist(),
            means=evaluator.table[0].tolist(),
            squares=evaluator.table[1].tolist(),
        )
    return _TABLES[turn]


@functools.cache
def _native_bearoff(core: Any) -> Any:
    """The core's copy of backgammon's tables, which are made where they are not."""
    return core.Bearoff(one_sided(), np.clip(two_sided(), 0.0, 1.0))  # its sums are rounded


def _core_encodes(core: Any, state: Any, game: Game, evaluator: BatchEvaluator) -> bool:
    """Whether the evaluator's encoder is the one that the core has for the state."""
    own, encoder = encoder_of(game), evaluator.encoder
    if own is None or type(own) is not type(encoder) or not np.array_equal(own.units, encoder.units):
        return False
    return bool(core.encoder_inputs(for_core(core, state)) == len(encoder.units))


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
