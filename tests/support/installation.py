"""A copy of the package, laid out as an installation is, and code that is run with it."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
# An editable install finds the checkout by a hook, which the copy goes without.
BEGIN = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Editable" not in type(finder).__name__
                    and "ScikitBuild" not in type(finder).__name__]
sys.path.insert(0, sys.argv[1])
import starspiel
assert starspiel.__file__.startswith(sys.argv[1]), starspiel.__file__
from starspiel_cli import main

def command(line):
    sys.argv = ["starspiel", *line.split()]
    try:
        main()
    except SystemExit as left:
        assert not left.code, line
"""


def copy_to(folder):
    """Lays the package out in a folder."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "starspiel_cli", folder / "starspiel_cli", ignore=ignored)
    shutil.copytree(ROOT / "src" / "starspiel", folder / "starspiel", ignore=ignored)
    for package in ("agents", "envs", "evaluation"):
        shutil.copytree(ROOT / package, folder / "starspiel" / package, ignore=ignored)
    native = find_spec("starspiel._native")
    if native is not None and native.origin is not None:
        shutil.copy(native.origin, folder / "starspiel")


def run_with(copy, code, cwd):
    """What the code prints; `command("games")` in it runs a command. Fails with what it raises."""
    ran = subprocess.run(
        [sys.executable, "-c", BEGIN + code, str(copy)], capture_output=True, text=True, cwd=cwd, timeout=240
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
