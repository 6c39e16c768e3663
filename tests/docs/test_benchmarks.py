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


def test_the_search_benchmark_finds_equal_values_and_says_what_is_too_slow(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    searches = import_module("searches")
    cell = searches.Cell("pig", 2, 1, ())
    *_, (_, report) = searches.measure(cell, repeat=1)
    assert report.disagreements == []
    rows = [searches.Row(searches.BASELINE, 2, 60.0, None, 0.5)]
    rows += [
        searches.Row(name, 2, 60 / times, 9, 0.5)
        for name, times in ((searches.FULL, 59), (searches.PLAIN, 8), (searches.STATES, 0.8))
    ]
    short = searches.shortfalls([searches.Report(cell, rows)])
    assert len(short) == 3
    assert short[0] == f"pig: {searches.FULL} is 59.00 times sooner, not 60."
    rows[1] = searches.Row(searches.FULL, 2, 1.0, 9, 0.6)
    assert len(searches.Report(cell, rows).disagreements) == 1


def test_the_strength_benchmark_says_who_won(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    strength = import_module("strength")
    contest = strength.contest("pig(winscore=20)", 0.002)
    assert list(contest.rivals) == ["random", "star2(depth=1,evaluator=heuristic)", "mcts(seconds=0.002)"]
    first = next(strength.rows(contest, pairs=4))
    assert (first.rival, first.pairs, first.evaluator) == ("random", 4, "heuristic(pig)")
    assert first.los > 0.5
