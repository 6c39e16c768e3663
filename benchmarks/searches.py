"""The same searches by OpenSpiel's code and by ours, feature by feature: time, nodes and value of each.

Every search of a cell (a game, a position and a depth) must find the same value; speed is only compared
between searches that agree.
"""

import math
import multiprocessing
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pebble
from open_spiel.python.algorithms import minimax

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.agents.native_loader import native_status
from starspiel.agents.search.context import BudgetSpentError
from starspiel.agents.search.engine import PythonEngine
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.options import Options
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game

#: Values of one cell may differ by this much: they are sums in different orders.
AGREEMENT = 1e-9
#: What every other search is compared with.
BASELINE = "openspiel c++"
#: What --require asks of FULL: times sooner than OpenSpiel's C++, in the geometric mean and at each position.
LEAST_MEAN, LEAST_EACH = 300.0, 60.0
#: And of STATES. It makes OpenSpiel's calls, and the time that these take varies by a tenth from run to run.
LEAST_STATES = 0.9
#: The search whose speed-up the summary is about, as `search` runs it.
FULL = "native star2 +merge +table +order"

#: What the searches written in Python are compared with.
PYTHON_BASELINE = "openspiel python"
#: The native search without a model of the game.
STATES = "native expectiminimax, openspiel states"
#: The native search without pruning or extras.
PLAIN = "native expectiminimax"

_TABLE = {"table_bytes": 64 << 20}
#: Of a native search: whether over plain bytes, and the options that are not off.
Features = tuple[bool, dict[str, Any]]

#: Native searches by name.
NATIVE: dict[str, Features] = {
    STATES: (False, {"prune": False}),
    PLAIN: (True, {"prune": False}),
    "native star1": (True, {"probes": 0}),
    "native star2": (True, {}),
    "native star2 +merge": (True, {"merge": True}),
    "native star2 +table": (True, _TABLE),
    "native star2 +merge +table": (True, {"merge": True} | _TABLE),
    "native star1 +merge +table +order": (True, {"probes": 0, "merge": True, "order": True} | _TABLE),
    FULL: (True, {"merge": None, "order": True} | _TABLE),
}

#: A search: (nodes, value), None if its time ran out, nodes also if they are not counted.
TimedSearch = Callable[[], tuple[int | None, float | None]]


@dataclass(frozen=True, slots=True)
class Cell:
    """A position to search.

    Attributes:
        game: an OpenSpiel game with a native model and a heuristic.
        depth: decision plies.
        python_depth: decision plies for the searches written in Python, which are compared among themselves.
        history: the actions that lead to the position.
    """

    game: str
    depth: int
    python_depth: int
    history: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One search of a cell: the best of its runs, in seconds of processor time, which other programs do not
    lengthen. `nodes` and `value` are None if the time ran out; `seconds` is then the time it had."""

    name: str
    depth: int
    seconds: float
    nodes: int | None
    value: float | None


@dataclass(slots=True)
class Report:
    """What was measured at one cell.

    Attributes:
        state_calls: the part of the time of "native expectiminimax, openspiel states" that a bare walk of the
            same tree takes, with the same calls of OpenSpiel's states and the evaluator and nothing else.
    """

    cell: Cell
    rows: list[Row] = field(default_factory=list)
    state_calls: float | None = None

    def row(self, name: str, depth: int | None = None) -> Row:
        return next(r for r in self.rows if r.name == name and depth in (None, r.depth))

    def speed_up(self, row: Row) -> float | None:
        """How many times sooner than OpenSpiel's code for the same depth; None if one did not finish."""
        name = BASELINE if row.depth == self.cell.depth else PYTHON_BASELINE
        base = next((r for r in self.rows if r.name == name and r.depth == row.depth), None)
        if base is None or base.value is None or row.value is None:
            return None
        return base.seconds / row.seconds

    @property
    def disagreements(self) -> list[str]:
        """The rows whose value is not that of the first of their depth."""
        wrong = []
        for depth in {row.depth for row in self.rows}:
            rows = [row for row in self.rows if row.depth == depth and row.value is not None]
            for row in rows[1:]:
                assert row.value is not None
                assert rows[0].value is not None
                if not math.isclose(row.value, rows[0].value, rel_tol=0, abs_tol=AGREEMENT):
                    wrong.append(
                        f"{self.cell.game} depth {depth}: {row.name} found {row.value!r}, "
                        f"{rows[0].name} {rows[0].value!r}"
                    )
        return wrong


def geometric_mean(reports: list[Report], name: str = FULL) -> float | None:
    """The mean speed-up of a search over the cells that it and the baseline finished; None without any."""
    factors = [factor for report in reports if (factor := report.speed_up(report.row(name)))]
    return math.exp(sum(map(math.log, factors)) / len(factors)) if factors else None


def shortfalls(reports: list[Report]) -> list[str]:
    """What is slower than it has to be, or did not finish; one sentence each.

    FULL must be LEAST_MEAN times sooner than OpenSpiel's C++ in the mean and LEAST_EACH times at each
    position; plain native expectiminimax as soon everywhere, and without a model LEAST_STATES times.
    """
    short = []
    for report in reports:
        for name, least in ((FULL, LEAST_EACH), (PLAIN, 1.0), (STATES, LEAST_STATES)):
            factor = report.speed_up(report.row(name, report.cell.depth))
            if factor is None:
                short.append(f"{report.cell.game}: {name} and {BASELINE} did not both finish.")
            elif factor < least:
                short.append(f"{report.cell.game}: {name} is {factor:.2f} times sooner, not {least:g}.")
    mean = geometric_mean(reports)
    if mean is not None and mean < LEAST_MEAN:  # without a mean, every position is short already
        short.append(f"{FULL} is {mean:.1f} times sooner in the geometric mean, not {LEAST_MEAN:g}.")
    return short


def measure(cell: Cell, repeat: int = 3, patience: float = 60.0) -> Iterator[tuple[str, Report]]:
    """Runs the searches of a cell one by one; yields (name of the row just measured, the report so far).

    Args:
        cell: what to search.
        repeat: runs of each search, of which the fastest counts; one that takes over a second runs once.
        patience: seconds after which a search is given up.

    Raises StarspielError if there is no native core.
    """
    core = native_status().module
    if core is None:
        raise StarspielError(f"the benchmark needs the native core: {native_status().reason}")
    game = load_game(cell.game)
    evaluator = make_evaluator("heuristic", game)
    state = position_of(cell)
    report = Report(cell)

    def add(name: str, depth: int, run: TimedSearch) -> tuple[str, Report]:
        report.rows.append(fastest(name, depth, run, repeat))
        return name, report

    def add_openspiels(name: str, depth: int) -> tuple[str, Report]:
        report.rows.append(_openspiels(name, cell, depth, repeat, patience))
        return name, report

    yield add_openspiels(BASELINE, cell.depth)
    for name, features in NATIVE.items():
        run = partial(run_native, core, state, cell.depth, features, evaluator, patience)
        yield add(name, cell.depth, run)
        if name == STATES:
            searched = report.row(name)
            if searched.value is not None:
                walk = fastest("walk", cell.depth, partial(_walk, core, state, cell.depth), repeat)
                report.state_calls = walk.seconds / searched.seconds
    depth = cell.python_depth
    yield add_openspiels(PYTHON_BASELINE, depth)
    for algorithm in ("expectiminimax", "star1", "star2"):
        run = partial(_python, state, depth, algorithm, evaluator, game, patience)
        yield add(f"python {algorithm}", depth, run)
    yield add(FULL, depth, partial(run_native, core, state, depth, NATIVE[FULL], evaluator, patience))


def fastest(name: str, depth: int, run: TimedSearch, repeat: int) -> Row:
    """The quickest of `repeat` runs; one that takes over a second runs once."""
    best = math.inf
    for _ in range(repeat):
        started = time.process_time()
        nodes, value = run()
        seconds = time.process_time() - started
        best = min(best, seconds)
        if seconds > 1:
            break
    return Row(name, depth, best, nodes, value)


def position_of(cell: Cell) -> Any:
    """The state to search."""
    state = load_game(cell.game).new_initial_state()
    for action in cell.history:
        state = state.child(action)
    return state


def _openspiels(name: str, cell: Cell, depth: int, repeat: int, patience: float) -> Row:
    """A search of OpenSpiel, which has no time limit, in a process that ends when its time is over."""
    spawn = multiprocessing.get_context("spawn")
    with pebble.ProcessPool(max_workers=1, context=spawn) as pool:
        pool.schedule(position_of, args=[cell]).result()  # Imports and loads what the search needs.
        try:
            row: Row = pool.schedule(
                _measure_openspiels, args=[name, cell, depth, repeat], timeout=patience
            ).result()
        except TimeoutError:
            return Row(name, depth, patience, None, None)
    return row


def _measure_openspiels(name: str, cell: Cell, depth: int, repeat: int) -> Row:
    state = position_of(cell)
    run: TimedSearch = partial(
        _openspiel_python, state, depth, make_evaluator("heuristic", load_game(cell.game))
    )
    if name == BASELINE:
        core = native_status().module
        assert core is not None
        run = partial(_openspiel_native, core, state, depth)
    return fastest(name, depth, run, repeat)


def _best(state: Any, values: list[float]) -> float:
    return max(values) if state.current_player() == 0 else min(values)


def _openspiel_native(core: Any, state: Any, depth: int) -> tuple[None, float]:
    return None, core.open_spiel_expectiminimax(state, depth, True)[0]


def _openspiel_python(state: Any, depth: int, evaluator: Evaluator) -> tuple[None, float]:
    return None, minimax.expectiminimax(state, depth, evaluator, 0)[0]


def _walk(core: Any, state: Any, depth: int) -> tuple[None, float]:
    return None, core.walk(state, depth, True)


def run_native(
    core: Any,
    state: Any,
    depth: int,
    features: Features,
    evaluator: Evaluator,
    patience: float,
) -> tuple[int | None, float | None]:
    """A native search with the game's heuristic."""
    plain, changes = features
    options: dict[str, Any] = {"prune": True, "probes": 1, "merge": False, "order": False, "table_bytes": 0}
    options |= {"bounds": (-1.0, 1.0), "value_range": evaluator.range} | changes
    engine = core.Engine(state, plain, core.Heuristic(), core.Options(**options))
    finished, values = engine.root(state, depth, True, None, patience)
    if not finished:
        return None, None
    return engine.counters()["nodes"], _best(state, [value for _, value in values])


def _python(
    state: Any, depth: int, algorithm: str, evaluator: Evaluator, game: Any, patience: float
) -> tuple[int | None, float | None]:
    engine = PythonEngine(evaluator, game, Limits(seconds=patience), Options(algorithm=algorithm))
    values: dict[int, float] = {}
    try:
        engine.search_root(state, depth, True, values)
    except BudgetSpentError:
        return None, None
    return engine.nodes, _best(state, list(values.values()))


def _actions(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


#: One position of each game, out of random games, with something to choose.
CELLS = (
    Cell(
        "backgammon",
        3,
        1,
        _actions(
            "28 1108 2 135 12 416 26 1220 9 479 21 319 35 290 296 19 1049 18 1163 1 59 13 468 32 322 "
            "607 5 466 8 33 6 485 4 1202 12 986 24 206 35 1351 28 1286 18 1324 28 1350 13 752 5 1324 25 "
            "1077 23 1116 17 1090 18 1246 28 804 31 1351 12 1150 33 622 454 17 1350 33 533 224 31 648 "
            "486 11 992 20 755 23 1007 14 521 17 466 33 264 170 28 492 26 726 35 258"
        ),
    ),
    Cell(
        "einstein_wurfelt_nicht",
        6,
        3,
        _actions("688 682 0 283 2 24 4 274 5 3 3 297 0 76 0 236 3 16 5"),
    ),
    Cell(
        "maedn(players=2)",
        6,
        3,
        _actions(
            "5 1 0 2 5 1 1 2 3 3 5 1 4 2 3 7 3 4 5 1 2 2 5 1 5 7 3 2 1 5 1 8 3 11 5 1 5 13 4 10 4 15 2 "
            "19 0 20 4 22 3 21 2 27 3 25 3 15 5 1 2 2 2"
        ),
    ),
    Cell(
        "yacht(players=2)",
        2,
        1,
        _actions(
            "7434 3 3 23 1082 43 6290 19 54 13 131 41 5297 27 827 23 705 39 3904 2 5 23 602 37 7058 27 "
            "1155 10 20 35 1793 11 70 8 3 38 7765 11 214 28 172"
        ),
    ),
    Cell(
        "banqi",
        4,
        2,
        _actions(
            "3 1 12 12 25 12 30 5 21 3 1 8 7 13 26 6 31 13 20 13 23 13 22 4 2 11 16 6 15 11 24 10 130 9 "
            "6 13 2 10 4 8 6 29 13 14 10 816 462 841 99 429 759 458 493 378 17 9 526 733 889 981 27 5 "
            "790 684"
        ),
    ),
    Cell(
        "pig",
        10,
        5,
        _actions("0 0 1 0 4 1 1 0 3 0 5 1 1 1 1 0 5 1 1 1 1 1 0 3 0 1 0 1"),
    ),
)
