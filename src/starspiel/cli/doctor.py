"""`starspiel doctor`: what is installed, and whether it works."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

import starspiel
from starspiel.cli.output import show, show_json

_PACKAGES = ("open_spiel", "gymnasium", "numpy", "scipy")


def doctor(*, as_json: Annotated[bool, Parameter(name="--json", negative="")] = False) -> int:
    """Check the installation: versions, and one search of each algorithm.

    Exits with 1 where something does not work.

    Parameters
    ----------
    as_json
        Print one JSON object and nothing else.
    """
    facts = {
        "starspiel": starspiel.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
    for package in _PACKAGES:
        facts[package] = _version(package)
    checks = {algorithm: _searches(algorithm) for algorithm in ("expectiminimax", "star1", "star2")}
    healthy = all(outcome == "ok" for outcome in checks.values())
    if as_json:
        show_json({"ok": healthy, "versions": facts, "checks": checks})
        return 0 if healthy else 1
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, fact in facts.items():
        table.add_row(name, fact)
    for name, outcome in checks.items():
        table.add_row(f"search with {name}", outcome, style="" if outcome == "ok" else "red")
    show(table)
    return 0 if healthy else 1


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _searches(algorithm: str) -> str:
    """Piglet to 2 points is won with 4/7 by the first player; a search to depth 9 comes within a tenth."""
    try:
        game = starspiel.load_game("pig(winscore=2,diceoutcomes=2,piglet=True)")
        result = starspiel.search(game.new_initial_state(), algorithm, starspiel.Limits(depth=9))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "ok" if abs(result.value - (2 * 4 / 7 - 1)) < 0.1 else f"wrong value {result.value}"
