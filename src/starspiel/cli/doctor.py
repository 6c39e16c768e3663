"""`starspiel doctor`: shows what is installed and tests whether it works."""

import platform

import starspiel
from starspiel.agents.native_loader import native_status
from starspiel.cli.flags import Json
from starspiel.cli.output import show, show_json, table_of
from starspiel_cli import installed_version


def doctor(*, as_json: Json = False) -> int:
    """Check the installation: versions, the native core, and one search with each algorithm and engine.

    Exit codes: 0 if all searches work, 1 if one does not.

    For example:

        starspiel doctor
        starspiel doctor --json
    """
    native = native_status()
    facts = {
        "starspiel": starspiel.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{package: installed_version(package) for package in ("open_spiel", "gymnasium", "numpy", "scipy")},
        "native core": ("in use, " if native.available else "not in use: ") + native.reason,
    }
    checks = {
        f"{name}, {engine} engine": _searches(name, engine)
        for engine in (("python", "native") if native.available else ("python",))
        for name in ("expectiminimax", "star1", "star2")
    }
    healthy = all(outcome == "ok" for outcome in checks.values())
    if as_json:
        show_json({"ok": healthy, "versions": facts, "checks": checks})
    else:
        table = table_of("", "")
        table.show_header = False
        for name, fact in facts.items():
            table.add_row(name, fact)
        for name, outcome in checks.items():
            table.add_row(f"search with {name}", outcome, style="" if outcome == "ok" else "red")
        show(table)
    return 0 if healthy else 1


def _searches(algorithm: str, engine: str) -> str:
    """Returns "ok", or what is wrong with the value that a search finds for Piglet to 2 points.

    The first player wins with probability 4/7; a search to depth 9 comes within 0.1 of that value.
    """
    try:
        game = starspiel.load_game("pig(winscore=2,diceoutcomes=2,piglet=True)")
        limits = starspiel.Limits(depth=9)
        result = starspiel.search(game.new_initial_state(), algorithm, limits, engine=engine)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "ok" if abs(result.value - (2 * 4 / 7 - 1)) < 0.1 else f"wrong value {result.value}"
