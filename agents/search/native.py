"""The native engine from Python's side: loading it, when it applies, and what it is told."""

import contextlib
import ctypes
import functools
import importlib.util
import logging
import math
import multiprocessing
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from importlib import metadata, resources
from numbers import Integral
from pathlib import Path
from typing import Any

import pyspiel

from starspiel.agents.evaluators.base import Evaluator, by_position, not_by_position, value_range
from starspiel.agents.evaluators.heuristics.backgammon import BackgammonHeuristic
from starspiel.agents.evaluators.heuristics.banqi import BanqiHeuristic
from starspiel.agents.evaluators.heuristics.einstein_wurfelt_nicht import EinsteinHeuristic
from starspiel.agents.evaluators.heuristics.maedn import MaednHeuristic
from starspiel.agents.evaluators.heuristics.pig import PigHeuristic
from starspiel.agents.evaluators.heuristics.twenty_forty_eight import TwentyFortyEightHeuristic
from starspiel.agents.evaluators.heuristics.yacht import YachtHeuristic
from starspiel.agents.evaluators.linear import LinearEvaluator
from starspiel.agents.evaluators.rollout import RolloutEvaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.search.collector import PAUSE, CollectorPause
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.result import Statistics
from starspiel.agents.search.run import BudgetSpentError, Run
from starspiel.envs.base import Game
from starspiel.envs.errors import EvaluatorError, StarspielError

#: What `search` takes for `engine`.
ENGINES = ("auto", "native", "python")

#: More probes than there are moves, and more nodes than there is time for; numbers that C++ can hold.
_MANY, _MANY_NODES = 1 << 30, 1 << 60

#: Of the state of a random.Random.
_RANDOM_VERSION = 3

_LOGGER = logging.getLogger("starspiel")

#: Set to "OFF" to run everything on the Python engine.
SWITCH = "STARSPIEL_NATIVE"


@dataclass(frozen=True, slots=True)
class NativeStatus:
    """Whether the native core is in use.

    Attributes:
        module: `starspiel._native`, or None.
        reason: one sentence: what it was built for, or why it is not used and what to do.
        chosen: whether somebody asked for it to be left out, now or when starspiel was installed.
    """

    module: Any | None
    reason: str
    chosen: bool = False

    @property
    def available(self) -> bool:
        return self.module is not None


def native_status() -> NativeStatus:
    """The native core, loaded on the first call; never raises."""
    if os.environ.get(SWITCH, "").strip().lower() in ("off", "0", "false", "no"):
        return NativeStatus(None, f"switched off by the environment variable {SWITCH}.", chosen=True)
    return _load()


def say_if_missing() -> None:
    """Logs one line where searches are slow for want of the native core and nobody chose that.

    Once a process; not in worker processes, whose parent has said it.
    """
    status = native_status()
    if status.module is None and not status.chosen and multiprocessing.parent_process() is None:
        _say(f"starspiel: searches run in Python only, many times slower: {status.reason}")


@functools.cache
def _say(line: str) -> None:
    _LOGGER.warning(line)


@functools.cache
def _load() -> NativeStatus:
    installed = metadata.version("open_spiel")
    if importlib.util.find_spec("starspiel._native") is None:
        why = _why_not_built()
        return NativeStatus(
            None,
            f"starspiel was installed without it: {why or 'the build was told to leave it out.'}",
            chosen=why is None,
        )
    try:
        # The module is linked against nothing: OpenSpiel's symbols must be visible when it is loaded.
        ctypes.CDLL(pyspiel.__file__, mode=ctypes.RTLD_GLOBAL)
        from starspiel import _native
    except ImportError as error:
        return NativeStatus(None, f"it does not load here ({error}); reinstall starspiel to build it again.")
    except OSError as error:
        return NativeStatus(None, f"pyspiel's symbols cannot be made visible to it ({error}).")
    if _native.open_spiel_version != installed:
        return NativeStatus(
            None,
            f"it was built for open_spiel {_native.open_spiel_version}, but {installed} is installed; "
            "build it again: pip install --force-reinstall --no-deps --no-cache-dir starspiel.",
        )
    return NativeStatus(_native, f"built for open_spiel {installed}.")


def _why_not_built() -> str | None:
    """What CMakeLists.txt wrote down where the core could not be built; None where it was not to be."""
    try:
        return (resources.files("starspiel") / "_not_native.txt").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None


def native_engine(
    root: Any,
    game: Game,
    algorithm: str,
    probes: int,
    limits: Limits,
    evaluator: Evaluator,
    table_mb: int | None,
    merge: bool,
    order: bool,
    *,
    deeper: bool = False,
    required: bool = False,
) -> "NativeEngine | None":
    """The native engine for a search from `root`; None where it does not apply.

    Raises StarspielError where it is `required` and does not apply, or `table_mb` is out of range.
    """
    room = table_bytes(table_mb)
    status = native_status()
    reason = None
    if status.module is None:
        reason = f"the native core is not available: {status.reason}"
        if not required and isinstance(root, pyspiel.State):
            say_if_missing()
    elif not isinstance(root, pyspiel.State):
        reason = "the native engine searches the states of OpenSpiel's games, no others and no samples."
    elif not is_native(status.module, root):
        reason = f"{game.name} is written in Python; the native engine plays OpenSpiel's C++ games."
    if reason is not None:
        if required:
            raise StarspielError(f'{reason} Use engine="auto" or "python".')
        return None
    return NativeEngine(
        status.module, root, game, algorithm, probes, limits, evaluator, room, merge, order, deeper
    )


def table_bytes(table_mb: int | None) -> int:
    """The bytes of a table, 0 for None. Raises StarspielError where there can be no such table."""
    if table_mb is None:
        return 0
    if isinstance(table_mb, bool) or not isinstance(table_mb, Integral) or table_mb < 1:
        raise StarspielError(
            f"table_mb must be a whole number of at least 1, or None for no table, got {table_mb!r}."
        )
    if table_mb > (memory := _memory_mb()):
        raise StarspielError(f"table_mb={table_mb} is more than the memory of {memory:,} MB there is.")
    return int(table_mb) << 20


@functools.cache
def _memory_mb() -> int:
    """The machine's memory, or what a container may use of it."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not known on this system
        memory = 1 << 40
    with contextlib.suppress(OSError, ValueError):  # no such limit
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return memory >> 20


# Whether a game is written in C++, by its name: to find out takes a new state.
_NATIVE_GAMES: dict[str, bool] = {}


def is_native(core: Any, state: pyspiel.State) -> bool:
    """Whether the state's game, and those it wraps, are written in C++."""
    name = str(state.get_game())
    if name not in _NATIVE_GAMES:
        _NATIVE_GAMES[name] = core.is_native(state)
    return _NATIVE_GAMES[name]


#: The evaluators that have a native twin with the same values.
_NATIVE_EVALUATORS: dict[type, str] = {
    ZeroEvaluator: "zero",
    BackgammonHeuristic: "heuristic",
    BanqiHeuristic: "heuristic",
    EinsteinHeuristic: "heuristic",
    MaednHeuristic: "heuristic",
    PigHeuristic: "heuristic",
    TwentyFortyEightHeuristic: "heuristic",
    YachtHeuristic: "heuristic",
}


def heuristic_core(evaluator: Evaluator, state: Any) -> Any | None:
    """The native core, where it is in use and its heuristic is this evaluator; else None."""
    core = native_status().module
    if core is None or _NATIVE_EVALUATORS.get(type(evaluator)) != "heuristic":
        return None
    return core if isinstance(state, pyspiel.State) and is_native(core, state) else None


#: Seconds of a time limit that are kept for making the result; the core keeps what freeing the table takes.
_TIDYING_UP = 0.002


class NativeEngine:
    """The searches of native/search.hpp, as the driver's `Engine`.

    Merging, ordering and the table need keys, which the native core has for the games it has a model of; for
    others they are off, and so they are for evaluators that do not go by the position alone.
    """

    name = "native"

    def __init__(
        self,
        core: Any,
        state: pyspiel.State,
        game: Game,
        algorithm: str,
        probes: int,
        limits: Limits,
        evaluator: Evaluator,
        table_bytes: int,
        merge: bool,
        order: bool,
        deeper: bool,
    ) -> None:
        self._limits = limits
        self._started = time.perf_counter()
        self._collector = CollectorPause()
        self._counts: Counter[str] = Counter()
        self._evaluator_name = evaluator.name
        run = Run(evaluator, game, Limits(depth=1))  # Its bounds, and its checks of a value.
        notes = []
        self._random: random.Random | None = None
        self._rollouts: Any = None
        call: Any = _NATIVE_EVALUATORS.get(type(evaluator))
        if type(evaluator) is RolloutEvaluator:
            self._random = evaluator.random
            call = self._rollouts = core.Rollouts(evaluator.n)
        elif type(evaluator) is LinearEvaluator:
            if not state.get_game().get_type().provides_observation_tensor:
                raise StarspielError(f"{game.name} has no observation tensor for {evaluator.name}.")
            evaluator.check(state.get_game().observation_tensor_size())
            call = core.Linear(evaluator.weights, evaluator.bias, evaluator.range)
        elif call is None:
            call = run.leaf
            notes.append(f"evaluator {evaluator.name} is Python: it takes most of the time.")
        repeatable = by_position(evaluator)
        low, high = value_range(evaluator, game) or (-math.inf, math.inf)
        options = core.Options(
            prune=algorithm != "expectiminimax",
            probes=min(probes, _MANY) if algorithm == "star2" else 0,
            bounds=(run.lower, run.upper),
            value_range=(low, high),
            merge=merge and repeatable,
            order=order and repeatable,
            table_bytes=table_bytes if repeatable else 0,
            deeper=deeper,
        )
        try:
            self._engine = core.Engine(state, True, call, options)
        except MemoryError:
            if not (table_bytes and repeatable):
                raise
            raise StarspielError(
                f"there is not enough memory for table_mb={table_bytes >> 20}; give a smaller one, or None "
                "for no table."
            ) from None
        self.unbounded = run.unbounded
        if (merge or order or table_bytes) and not repeatable:
            notes.append(
                f"{evaluator.name} values a position differently every time, so merging, ordering and the "
                "table are off."
                if self._rollouts is not None
                else not_by_position(evaluator, "merging, ordering and the table are")
            )
        elif (merge or order or table_bytes) and not self._engine.keyed:
            notes.append(
                f"the native engine has no key for {game.name}, so merging, ordering and the table are off."
            )
        if deeper and table_bytes and repeatable and self._engine.keyed:
            notes.append("entries of deeper searches were used: values are of this depth or more.")
        self.notes = tuple(notes)

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

    def search_root(self, state: Any, depth: int, share: bool, values: dict[int, float]) -> None:
        nodes, seconds = self._limits.nodes, self._limits.seconds
        if nodes is not None:
            nodes = min(_MANY_NODES, max(0, int(nodes) - self.nodes))
        if seconds is not None:
            seconds -= self.elapsed() + min(_TIDYING_UP, seconds / 10)
            self._pause_when_late()
        before = self._engine.counters()
        try:
            with self._evaluating():
                finished, found = self._engine.root(
                    state, depth, share, nodes, seconds, self._pause_when_late
                )
        finally:
            for name, count in self._engine.counters().items():
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
        with self._evaluating():
            value: float = self._engine.evaluate(state)
        return value

    @contextlib.contextmanager
    def _evaluating(self) -> Iterator[None]:
        """Lends the core the evaluator's random numbers, and names the evaluator where it fails."""
        if self._random is not None:
            self._rollouts.random_state = self._random.getstate()[1]
        try:
            yield
        except ValueError as error:
            if isinstance(error, StarspielError):
                raise
            raise EvaluatorError(f"evaluator {self._evaluator_name}: {error}") from None
        finally:
            if self._random is not None:
                self._random.setstate((_RANDOM_VERSION, tuple(self._rollouts.random_state), None))

    def aside(self, limits: Limits) -> "NativeEngine":
        """Shares the table, not the counters."""
        twin = copy(self)
        twin._limits = limits
        twin._started = time.perf_counter()
        twin._collector = CollectorPause()
        twin._counts = Counter()
        return twin

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
