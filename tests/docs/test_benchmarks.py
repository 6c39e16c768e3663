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
