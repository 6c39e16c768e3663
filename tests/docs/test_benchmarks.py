"""The benchmarks and examples import what there is; most take too long to be run here."""

import ast
import math
import runpy
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("benchmarks/**/*.py"), *ROOT.glob("examples/*.py")])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_everything_imported_from_starspiel_is_there(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("starspiel"):
            module = import_module(node.module)
            for name in node.names:
                assert hasattr(module, name.name) or find_spec(f"{node.module}.{name.name}"), name.name


@pytest.mark.parametrize(
    ("ours", "low", "high", "verdict"),
    [
        (0.80, 0.60, 0.99, "yes"),
        (0.65, 0.48, 0.79, "open"),
        (0.97, 0.94, 0.99, "open"),
        (0.65, 0.60, 0.70, "missed"),
        (0.65, math.nan, math.nan, "missed"),
    ],
)
def test_a_papers_figure_lies_in_its_band_or_beside_it(ours, low, high, verdict) -> None:
    figure = runpy.run_path(str(ROOT / "benchmarks/papers/published.py"))["Figure"]
    assert figure("score", "about 85", ours, low, high, (0.75, 0.95)).verdict == verdict
    assert figure("score", "–", ours, low, high, (-math.inf, math.inf)).verdict == "–"


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets benchmarks be imported, which import each other."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def test_drawn_positions_repeat_by_seed_and_have_a_choice(benchmarks) -> None:
    drawn = import_module("positions").drawn
    positions = list(drawn("pig", 6, "1"))
    assert positions[:2] == list(drawn("pig", 2, "1")) != list(drawn("pig", 2, "2"))
    assert len({position.history for position in positions}) == 6
    assert all(len(position.state.legal_actions()) > 1 for position in positions)
    assert [position.stage for position in positions] == ["early"] * 2 + ["middle"] * 2 + ["late"] * 2
    assert [position.players == ("random", "random") for position in positions] == [True, False] * 3


@pytest.mark.parametrize("game", ["pig", "star_pig", "connect_four"])
@pytest.mark.parametrize("evaluator", ["heuristic", "zero"])
def test_the_search_benchmark_finds_equal_values(benchmarks, game, evaluator) -> None:
    searches, positions = import_module("searches"), import_module("positions")
    position = next(positions.drawn(game, 1, "1"))
    measured = searches.measure(position, evaluator, patience=0.001, reach=0.2)
    assert measured.disagreements == []
    assert measured.compiled == (game != "star_pig")
    assert measured.reached.plies > measured.timed.plies
    assert measured.speed_up(searches.FULL) == pytest.approx(
        measured.openspiel_seconds / measured.seconds[searches.FULL]
    )


def test_the_search_benchmark_finds_unequal_values(benchmarks, monkeypatch) -> None:
    searches, positions = import_module("searches"), import_module("positions")
    right = searches.Searcher.openspiel

    def wrong(searcher, depth):
        run = right(searcher, depth)
        return lambda: (0, run()[1] + 1e-6)

    monkeypatch.setattr(searches.Searcher, "openspiel", wrong)
    position = next(positions.drawn("pig", 1, "1"))
    assert len(searches.measure(position, "heuristic", patience=0.001, reach=0.01).disagreements) == 3


def test_the_search_benchmark_says_what_is_too_slow(benchmarks) -> None:
    search, searches, positions = map(import_module, ("search", "searches", "positions"))
    position = positions.Position("pig", (), ("random", "random"), "early")
    depth = searches.Depth(2, 100)

    def measured(full: float, states: float) -> object:
        seconds = {searches.BASELINE: 60.0, searches.FULL: 60 / full, searches.PLAIN: 7.0}
        seconds[searches.STATES] = 60 / states
        return searches.Measured(position, "heuristic", depth, depth, seconds, None, True, [])

    fast = [measured(full, 1.0) for full in (61, 400, 900, 900)]
    assert search.shortfalls(fast) == []
    slow = search.shortfalls([measured(full, states) for full, states in ((59, 0.9), (59, 0.9), (900, 1.2))])
    assert slow[0] == f"pig: {searches.FULL}, 10th percentile: 59.00 times as fast, not 60."
    assert [line.split(",")[0] for line in slow[1:]] == [
        f"pig: {searches.STATES.split(',')[0]}",
        searches.FULL,
    ]


def test_the_strength_benchmark_says_who_won(benchmarks) -> None:
    strength = import_module("strength")
    contest = strength.contest("pig(winscore=20)", 0.002)
    assert list(contest.rivals) == ["random", "star2(depth=1,evaluator=heuristic)", "mcts(seconds=0.002)"]
    first = next(strength.rows(contest, pairs=4))
    assert (first.rival, first.pairs, first.evaluator) == ("random", 4, "heuristic(pig)")
    assert 0.0 < first.p <= 1.0
