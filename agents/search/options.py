"""Provides `Options`: the options of a search, declared and checked in one place."""

import contextlib
import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import chain
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar, cast

from starspiel.agents.processes import processors
from starspiel.agents.search.move_filters import MoveFilters, as_filters
from starspiel.agents.search.sampling import MAX_WIDTH, SAMPLING
from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import SpecError, StarspielError, did_you_mean, shown

#: Values of `algorithm` in `search`.
ALGORITHMS = ("expectiminimax", "star1", "star2", *SAMPLING)
#: Values of `engine` in `search`.
ENGINES = ("auto", "native", "python")

#: Values of `opponents` in `search`.
OPPONENTS = ("maxn", "paranoid")

#: Values of `ties`: which of equally good actions is played.
TIES = ("soonest", "first", "random")

#: Options that affect only what a search reports, not its move; agents do not have them.
FOR_READERS = ("exact_action_values", "explain")

#: The least and greatest value of each integer option.
_WHOLE = {"probes": (0, 2**128), "width": (1, MAX_WIDTH), "threads": (1, 64)}

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a search, except position, limits, evaluator and seed.

    Attributes:
        algorithm: "expectiminimax", "star1" or "star2", or one of their sampling variants "expss", "star1ss"
            and "star2ss", which also support games whose chance outcomes cannot be listed.
        probes: for star2, how many moves of each successor to probe; with 0 it searches like star1.
        width: for the sampling searches, how many outcomes to draw at a chance node.
        engine: "native" for the C++ core, which supports OpenSpiel's own states and the shipped games;
            "python"; or "auto": native if it supports the search. Both give the same values, except with
            `probcut`.
        table_mb: megabytes of memory for a transposition table, or None for no table. The Python engine uses
            one only in games with keys that are not OpenSpiel's turn-based ones.
        merge: whether the native engine searches equal successors once. None means: in the games in which
            that saves more than it costs (docs/native.md).
        order: whether the native engine tries promising moves first (docs/native.md).
        ties: which of equally good actions is played. "soonest" plays the one that has been best for the most
            depths in a row, counted back from the last; "first" plays the first of them. With "random", an
            agent draws one of them, and a search answers with the first.
        opponent: a model of the player who is not to move at the root: "optimal" for best play; "uniform"; an
            agent's spec; or a policy or a bot that reveals its policy. See `agents.opponents.as_opponent`.
        opponents: the aim of the other players in games that are not zero-sum games for two: "maxn" if each
            maximises their own return, or "paranoid" if all minimise that of the player at the root.
        filters: which moves are searched deeper than one ply: `MoveFilters` or a spec: "wide", "normal",
            "narrow", or numbers such as "8:0.16/2:0.04". None searches all. Otherwise values are those of the
            moves searched.
        probcut: the margin of ChanceProbCut, in standard errors of the evaluator's depth fits. A chance node
            is cut off if its value at one ply less is outside the window by more. None: never.
        threads: how many threads of the native engine search together, at most one per processor. Only one is
            used under a node limit, without a table, and if the evaluator is written in Python.
        exact_action_values: whether to compute every root action's value. If False, root actions prune each
            other, which is faster and gives the same value and best actions.
        explain: whether to add names and the principal variation; its extra nodes are not counted.

    The table, merging and ordering need an evaluator that values equal positions alike; otherwise a note of
    the result says that they are off. Raises StarspielError if an option has an invalid value. NumPy numbers
    are converted to Python's.
    """

    algorithm: str = "star2"
    probes: int = 1
    width: int = 10
    engine: str = "auto"
    table_mb: int | None = 64
    merge: bool | None = None
    order: bool = True
    ties: str = "soonest"
    opponent: Any = "optimal"
    opponents: str = "maxn"
    filters: MoveFilters | str | None = None
    probcut: float | None = None
    threads: int = 1
    exact_action_values: bool = True
    explain: bool = True

    def __post_init__(self) -> None:
        check_choice("algorithm", self.algorithm, ALGORITHMS)
        for name, (low, high) in _WHOLE.items():
            object.__setattr__(self, name, whole_number(name, getattr(self, name), low, high))
        check_choice("engine", self.engine, ENGINES)
        check_choice("opponents", self.opponents, OPPONENTS)
        if not isinstance(self.ties, str) or self.ties not in TIES:
            raise SpecError(f"ties must be soonest, first or random, got {shown(self.ties)}.")
        for name in _SWITCHES:
            if not isinstance(switch := getattr(self, name), bool):
                raise SpecError(f"{name} must be true or false, got {shown(switch)}.")
        if self.merge is not None and not isinstance(self.merge, bool):
            raise SpecError(f"merge must be true, false or none, got {shown(self.merge)}.")
        object.__setattr__(self, "filters", as_filters(self.filters))
        if self.probcut is not None:
            object.__setattr__(self, "probcut", _margin(self.probcut))
        object.__setattr__(self, "table_mb", _table_size(self.table_mb))

    @property
    def sampling(self) -> bool:
        """Whether chance outcomes are drawn at random instead of listed."""
        return self.algorithm in SAMPLING

    @property
    def tree_algorithm(self) -> str:
        """The algorithm that searches the tree; for a sampling search, the tree of drawn outcomes."""
        return SAMPLING.get(self.algorithm, self.algorithm)

    @property
    def prunes(self) -> bool:
        """Whether the algorithm prunes: Star1 and Star2, but not expectiminimax."""
        return self.tree_algorithm != "expectiminimax"

    @property
    def probe_moves(self) -> int:
        """The number of moves of each successor that a chance node probes: `probes` for Star2, else 0."""
        return self.probes if self.tree_algorithm == "star2" else 0

    @property
    def label(self) -> str:
        """The algorithm as results show it, with the options that are not the defaults.

        The model of an opponent is named by a note of the result instead.
        """
        given = [f"width={self.width}"] if self.sampling else []
        if self.probes != 1 and not self.sampling:
            given.append(f"probes={self.probes}")
        if self.opponents != "maxn":
            given.append(f"opponents={self.opponents}")
        if self.filters is not None:
            given.append(f"filters={self.filters}")
        if self.probcut is not None:
            given.append(f"probcut={self.probcut:g}")
        return f"{self.algorithm}({', '.join(given)})" if given else self.algorithm

    @property
    def usable_threads(self) -> int:
        """`threads`, limited to the number of available processors."""
        return min(self.threads, processors())

    @property
    def table_bytes(self) -> int:
        """The size of the table in bytes; 0 for no table."""
        return 0 if self.table_mb is None else self.table_mb << 20


_SWITCHES = tuple(option.name for option in fields(Options) if option.type is bool)


def takes(*values: type[Any], left_out: tuple[str, ...] = ()) -> Callable[[_Function], _Function]:
    """Decorates a function that passes its `**options` to dataclasses, so that its signature names each
    field.

    Fields in `left_out`, and those that the function names itself, are not added. Calls with unknown names
    raise TypeError.
    """

    def decorated(function: _Function) -> _Function:
        own = inspect.signature(function)
        named = {name: p for name, p in own.parameters.items() if p.kind is not inspect.Parameter.VAR_KEYWORD}
        for option in chain.from_iterable(map(fields, values)):
            if option.name not in left_out:
                named.setdefault(
                    option.name,
                    inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default),
                )
        signature = own.replace(parameters=list(named.values()))

        @functools.wraps(function)
        def checked(*positional: Any, **by_name: Any) -> Any:
            signature.bind(*positional, **by_name)
            return function(*positional, **by_name)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        return cast(_Function, checked)

    return decorated


#: Decorates functions that make search agents from options.
takes_options = takes(Options, left_out=FOR_READERS)


def check_choice(name: str, given: Any, choices: tuple[str, ...]) -> None:
    """Raises SpecError, with the nearest choice, unless `given` is one of `choices`."""
    if not isinstance(given, str) or given not in choices:
        hint = did_you_mean(given if isinstance(given, str) else "", choices)
        raise SpecError(f"unknown {name} {shown(given)}.{hint}")


def _margin(probcut: Any) -> float:
    margin = finite_number("probcut", probcut)
    if margin < 0.0:
        raise SpecError(f"probcut must be at least 0, such as 1.5, got {shown(probcut)}.")
    return margin


def _table_size(table_mb: Any) -> int | None:
    """Returns the megabytes as an int. Raises StarspielError if they exceed the machine's memory."""
    if table_mb is None:
        return None
    megabytes = int(table_mb) if isinstance(table_mb, Integral) and not isinstance(table_mb, bool) else 0
    if megabytes < 1:
        raise StarspielError(
            f"table_mb must be a whole number of at least 1, or None for no table, got {shown(table_mb)}."
        )
    if megabytes > (memory := _memory_mb()):
        raise StarspielError(f"table_mb={shown(table_mb)} exceeds the memory of {memory:,} MB.")
    return megabytes


@functools.cache
def _memory_mb() -> int:
    """Returns the memory of the machine or container, in MB."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # the system does not tell
        memory = 1 << 40
    with contextlib.suppress(OSError, ValueError):  # no such limit
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return memory >> 20
