"""One position searched by OpenSpiel's code and by the native core, by turns: seconds and values of each.

OpenSpiel's search is its C++ expectiminimax, or its C++ alpha-beta in games without chance. The shipped games
are registered with OpenSpiel in Python; over these it is its Python expectiminimax.

OpenSpiel's search runs to the deepest depth that takes it at most `patience` seconds. The native Star2 is
timed at the deepest depth that would take OpenSpiel's at most `reach` seconds. That time is estimated by the
nodes of OpenSpiel's tree, which the native search counts, and its seconds a node at the depth that was timed.
"""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import pyspiel
from open_spiel.python.algorithms import minimax
from positions import Position, loaded

from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import for_core
from starspiel.envs.errors import StarspielError
from starspiel.envs.openspiel.counterpart import pyspiel_game, pyspiel_state

#: Values of one position may differ by this much: they are sums in different orders.
AGREEMENT = 1e-9
EVALUATORS = ("heuristic", "zero")
#: OpenSpiel's search, which the others are compared with.
BASELINE = "openspiel"
#: The native search as `search` runs it.
FULL = "native star2 +merge +table +order"
#: The native search without pruning or extras; it prunes as OpenSpiel's does in games without chance.
PLAIN = "native expectiminimax"
#: Seconds: times below are those of the calls around a search.
SHORT = 0.001
#: The same without a model of the game, in games with chance.
STATES = "native expectiminimax, openspiel states"

#: How much the native searches widen the root's window to see ties. OpenSpiel's alpha-beta leaves them out.
_TIES = 2e-9

#: Of a native search: whether over plain bytes, and the options that are not off.
Features = tuple[bool, dict[str, Any]]
NATIVE: dict[str, Features] = {
    FULL: (True, {"merge": None, "order": True, "table_bytes": 64 << 20}),
    PLAIN: (True, {"prune": False}),
    STATES: (False, {"prune": False}),
}

#: Searches are timed by turns in so many rounds, or in fewer if they take long.
ROUNDS = 5
#: A round is as many runs of a search as take so many seconds.
_ROUND = 0.002

#: A search: (nodes, value), nodes 0 if they are not counted.
Search = Callable[[], tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Depth:
    """A depth in decision plies, and the nodes of OpenSpiel's tree."""

    plies: int
    nodes: int


@dataclass(slots=True)
class Measured:
    """The searches of one position with one evaluator.

    Attributes:
        timed: the depth of OpenSpiel's search, and of PLAIN and STATES.
        reached: the depth of FULL.
        seconds: each search's median over the rounds, in seconds of processor time.
        foreseen: OpenSpiel's seconds at the timed depth, as estimated at the depth before, as a multiple
            of what was measured; None at the first depth.
        compiled: whether OpenSpiel has the game in C++.
        disagreements: the searches that found different values, one sentence each.
    """

    position: Position
    evaluator: str
    timed: Depth
    reached: Depth
    seconds: dict[str, float]
    foreseen: float | None
    compiled: bool
    disagreements: list[str]

    @property
    def openspiel_seconds(self) -> float:
        """OpenSpiel's seconds to the reached depth: measured if that is the timed one, else by its nodes."""
        return self.seconds[BASELINE] * self.reached.nodes / self.timed.nodes

    def speed_up(self, name: str) -> float | None:
        """How many times faster a search is than OpenSpiel's to the same depth; None if it was not run."""
        if name not in self.seconds:
            return None
        base = self.openspiel_seconds if name == FULL else self.seconds[BASELINE]
        return base / self.seconds[name]


def measure(position: Position, evaluator: str, patience: float, reach: float) -> Measured:
    """Searches a position with OpenSpiel's code and the native core.

    Raises StarspielError if there is no native core.
    """
    searcher = Searcher(position, evaluator)
    timed, reached, foreseen = searcher.depths(patience, reach)
    searches = {
        BASELINE: searcher.openspiel(timed.plies),
        FULL: searcher.native(FULL, reached.plies),
        PLAIN: searcher.native(PLAIN, timed.plies),
    }
    if searcher.compiled and searcher.chance:
        searches[STATES] = searcher.native(STATES, timed.plies)
    seconds, found = by_turns(searches, patience)
    _, deep = searcher.native(PLAIN, reached.plies)()
    _, shallow = searcher.native(FULL, timed.plies)()
    pairs = [(name, value, deep if name == FULL else found[BASELINE]) for name, value in found.items()]
    pairs.append((FULL, shallow, found[BASELINE]))
    disagreements = [
        f"{position.game}, {evaluator}, {timed.plies} and {reached.plies} plies after {position.history}: "
        f"{name} found {value!r}, expected {expected!r}"
        for name, value, expected in pairs
        if not math.isclose(value, expected, rel_tol=0, abs_tol=AGREEMENT)
    ]
    return Measured(position, evaluator, timed, reached, seconds, foreseen, searcher.compiled, disagreements)


def by_turns(searches: dict[str, Search], patience: float) -> tuple[dict[str, float], dict[str, float]]:
    """(median seconds, value) of each search. They run by turns, so that what slows the machine slows all.

    There are ROUNDS rounds, or as many as the first search ends within `patience` seconds, at least one.
    """
    seconds: dict[str, list[float]] = {name: [] for name in searches}
    values: dict[str, float] = {}
    first = next(iter(searches))
    for number in range(ROUNDS):
        names = list(searches)
        for name in names if number % 2 == 0 else reversed(names):
            took, values[name] = timed_round(searches[name])
            seconds[name].append(took)
        if sum(seconds[first]) + seconds[first][-1] > patience:
            break
    return {name: median(each) for name, each in seconds.items()}, values


def timed_round(search: Search) -> tuple[float, float]:
    """Seconds of processor time of a run, in the mean of as many runs as a round has, and the value."""
    runs, started = 0, time.process_time()
    while True:
        _, value = search()
        runs += 1
        spent = time.process_time() - started
        if spent >= _ROUND:
            return spent / runs, value


class Searcher:
    """The searches of one position with one evaluator. Raises StarspielError if there is no native core."""

    def __init__(self, position: Position, evaluator: str) -> None:
        self._core = native_status().module
        if self._core is None:
            raise StarspielError(f"the benchmark needs the native core: {native_status().reason}")
        self._game = loaded(position.game)
        self._state = position.state
        #: The position as the core takes it.
        self.root = for_core(self._core, self._state)
        self._pyspiel = pyspiel_state(pyspiel_game(self._game), self._state)
        self._evaluator = make_evaluator(evaluator, self._game)
        self._by_heuristic = evaluator == "heuristic"
        kind = self._pyspiel.get_game().get_type()
        #: Whether the game has chance; OpenSpiel's search without it is alpha-beta.
        self.chance = kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
        #: Whether OpenSpiel has the game in C++.
        self.compiled = isinstance(self._state, pyspiel.State)

    def openspiel(self, depth: int) -> Search:
        """OpenSpiel's search."""
        if self.compiled:
            return lambda: (0, self._core.open_spiel_minimax(self._pyspiel, depth, self._by_heuristic)[0])
        return lambda: (
            0,
            minimax.expectiminimax(self._pyspiel, depth, lambda state: self._evaluator(state.state), 0)[0],
        )

    def native(
        self, name: str, depth: int, limit: int | None = None, seconds: float | None = None, **changes: Any
    ) -> Search:
        """A search of NATIVE with other options, its engine included; (nodes, nan) if a limit is met."""
        plain, options = NATIVE[name]
        like_openspiel = "prune" in options and not self.chance
        if like_openspiel:
            options = {"probes": 0}
        engine = partial(self.engine, plain, options | changes)
        return partial(self._run, engine, depth, -_TIES if like_openspiel else 0.0, limit, seconds)

    def _run(
        self, make: Callable[[], Any], depth: int, margin: float, limit: int | None, seconds: float | None
    ) -> tuple[int, float]:
        engine = make()
        finished, values = engine.root(self.root, depth, margin, limit, seconds)
        return engine.counters()["nodes"], self.best(values)[1] if finished else math.nan

    def engine(self, plain: bool, changes: dict[str, Any]) -> Any:
        """The core's engine of this position's game; what is not in `changes` is off."""
        core = self._core
        options: dict[str, Any] = {"prune": True, "probes": 1, "merge": False, "order": False}
        options |= {
            "table_bytes": 0,
            "bounds": self._game.utility_range,
            "value_range": self._evaluator.range,
        }
        value = core.Heuristic() if self._by_heuristic else core.Zero()
        return core.Engine(self.root, plain, value, core.Options(**options | changes))

    def best(self, values: list[tuple[int, float]]) -> tuple[int, float]:
        """The best of (action, value) for the player to move."""
        sign = 1 if self._state.current_player() == 0 else -1
        return max(values, key=lambda pair: sign * pair[1])

    def deepest(self, nodes: int) -> int:
        """The deepest depth at which FULL visits at most so many nodes."""
        depth, last = 1, 0
        while True:
            found, value = self.native(FULL, depth + 1, nodes)()
            if math.isnan(value) or found == last:
                return depth
            depth, last = depth + 1, found

    def depths(self, patience: float, reach: float) -> tuple[Depth, Depth, float | None]:
        """(`timed`, `reached`, `foreseen`) of Measured.

        There is no depth beyond one that adds no node. A search that took less than SHORT is followed by the
        next one, however long that takes: the time a node of a few nodes foretells nothing.
        """
        timed = reached = Depth(1, self.native(PLAIN, 1)()[0])
        seconds, _ = timed_round(self.openspiel(1))
        foreseen, growth = None, 1.0
        while True:
            limit = math.ceil(reach * timed.nodes / seconds)
            if reached.nodes * growth > 4 * limit:  # not worth counting
                return timed, reached, foreseen
            nodes, _ = self.native(PLAIN, reached.plies + 1, limit + 1)()
            if nodes > limit or nodes == reached.nodes:
                return timed, reached, foreseen
            estimate = seconds * nodes / timed.nodes
            growth = nodes / reached.nodes
            reached = Depth(reached.plies + 1, nodes)
            if estimate <= patience or seconds < SHORT:
                seconds, _ = timed_round(self.openspiel(reached.plies))
                timed, foreseen = reached, estimate / seconds


def geometric_mean(factors: Iterable[float]) -> float:
    """The geometric mean of positive numbers; nan if there are none."""
    logs = [math.log(factor) for factor in factors]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan
