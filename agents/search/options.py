"""`Options`: the options of a search, declared and checked in one place."""

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

#: What `search` takes for `algorithm`.
ALGORITHMS = ("expectiminimax", "star1", "star2", *SAMPLING)
#: What `search` takes for `engine`.
ENGINES = ("auto", "native", "python")

#: What `search` takes for `opponents`.
OPPONENTS = ("maxn", "paranoid")

#: Which of equally good actions is played.
TIES = ("soonest", "first", "random")

#: Options that affect the report of a search but no move; agents do not have them.
FOR_READERS = ("exact_action_values", "explain")

#: The least and greatest value of each integer option.
_WHOLE = {"probes": (0, 2**128), "width": (1, MAX_WIDTH), "threads": (1, 64)}

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a search, besides position, limits, evaluator and seed.

    Attributes:
        algorithm: "expectiminimax", "star1" or "star2", or one of their sampling forms "expss", "star1ss" and
            "star2ss", which also play games whose chance outcomes cannot be listed.
        probes: for star2, how many moves of each successor to probe; 0 is star1.
        width: for the sampling searches, how many outcomes to draw at a chance node.
        engine: "native" for the C++ core over OpenSpiel's own states, "python", or "auto": native if it
            applies. Both give the same values, except with `probcut`.
        table_mb: megabytes of memory for a transposition table, or None for no table. The Python engine has
            one for games with keys that are not OpenSpiel's.
        merge: whether the native engine searches equal successors once; None: in the games in which that
            saves more than it costs (docs/native.md).
        order: whether the native engine tries promising moves first (docs/native.md).
        ties: which of equally good actions is played: "soonest", the one that has been best for the most
            depths in a row, down from the last one; "first" of them all; or "random": an agent draws among
            them all, and a search answers the first.
        opponent: how the player who is not to move at the root is taken to move: "optimal", always the
            best; "uniform"; an agent's spec, or a policy or a bot that tells its policy.
            See `agents.opponents.as_opponent`.
        opponents: what the other players want in games of more than two, or that are not zero-sum: "maxn",
            each the most for themselves; or "paranoid", all of them the least for the player at the root.
        filters: which moves are searched deeper than one ply, in `MoveFilters` or a spec: "wide", "normal",
            "narrow", or numbers such as "8:0.16/2:0.04". None searches all. Values are then those of the
            moves searched.
        probcut: ChanceProbCut: a chance node is cut off if its value at one ply less is beyond the window by
            so many standard errors of the evaluator's depth fits. None: never.
        threads: how many threads of the native engine search together. One is used under a node limit,
            without a table, and if the evaluator is Python; never more than there are processors for.
        exact_action_values: whether every root action's value is wanted. Without, root actions prune each
            other: faster, with the same value and best actions.
        explain: whether to add names and the principal variation; its extra nodes are not counted.

    The table, merging and ordering need an evaluator that values equal positions alike; the notes of a result
    say if it does not. Raises StarspielError if `search` does not take one. NumPy's numbers become Python's.
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
        """Whether chance outcomes are drawn instead of listed."""
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
        """The number of moves of each successor that a chance node probes: `probes` for Star2, otherwise
        0.
        """
        return self.probes if self.tree_algorithm == "star2" else 0

    @property
    def label(self) -> str:
        """The algorithm as results show it, with options that change its values."""
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
        """`threads`, at most the number of available processors."""
        return min(self.threads, processors())

    @property
    def table_bytes(self) -> int:
        """The size of the table; 0 for no table."""
        return 0 if self.table_mb is None else self.table_mb << 20


_SWITCHES = tuple(option.name for option in fields(Options) if option.type is bool)


def takes(*values: type[Any], left_out: tuple[str, ...] = ()) -> Callable[[_Function], _Function]:
    """Decorates a function that hands its `**options` to dataclasses: its signature names each field.

    Fields that are left out, or that the function names itself, are not added. Unknown names raise
    TypeError.
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


#: Decorates functions that make search agents.
takes_options = takes(Options, left_out=FOR_READERS)


def check_choice(name: str, given: Any, choices: tuple[str, ...]) -> None:
    """Raises SpecError, which names the nearest choice, unless `given` is one of `choices`."""
    if not isinstance(given, str) or given not in choices:
        hint = did_you_mean(given if isinstance(given, str) else "", choices)
        raise SpecError(f"unknown {name} {shown(given)}.{hint}")


def _margin(probcut: Any) -> float:
    margin = finite_number("probcut", probcut)
    if margin < 0.0:
        raise SpecError(f"probcut must be at least 0, such as 1.5, got {shown(probcut)}.")
    return margin


def _table_size(table_mb: Any) -> int | None:
    """Returns the megabytes as an int. Raises StarspielError if the machine cannot hold the table."""
    if table_mb is None:
        return None
    megabytes = int(table_mb) if isinstance(table_mb, Integral) and not isinstance(table_mb, bool) else 0
    if megabytes < 1:
        raise StarspielError(
            f"table_mb must be a whole number of at least 1, or None for no table, got {shown(table_mb)}."
        )
    if megabytes > (memory := _memory_mb()):
        raise StarspielError(f"table_mb={shown(table_mb)} is more than the memory of {memory:,} MB there is.")
    return megabytes


@functools.cache
def _memory_mb() -> int:
    """The memory of the machine or container, in MB."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # unknown on this system
        memory = 1 << 40
    with contextlib.suppress(OSError, ValueError):  # no such limit
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return memory >> 20
