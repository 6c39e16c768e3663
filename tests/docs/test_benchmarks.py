"""The benchmarks and examples import what there is; most take too long to be run here."""

import ast
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
