"""A copy of the package, laid out as an installation is, and code that is run with it."""

import multiprocessing
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Starts processes that have loaded what is not ours, which takes most of the time.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["cyclopts", "gymnasium", "pyspiel", "rich.console", "scipy.special"])
# An editable install finds the checkout by a hook, which the copy goes without.
BEGIN = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "Editable" not in type(finder).__name__
                    and "ScikitBuild" not in type(finder).__name__]
sys.path.insert(0, COPY)
import starspiel
assert starspiel.__file__.startswith(COPY), starspiel.__file__
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
    out, err = cwd / "printed", cwd / "raised"
    process = PROCESSES.Process(target=_run, args=(str(copy), code, cwd, out, err))
    process.start()
    process.join(240)
    assert process.exitcode == 0, err.read_text(encoding="utf-8")
    return out.read_text(encoding="utf-8")


def _run(copy, code, cwd, *files):
    for number, file in enumerate(files, 1):
        with file.open("wb") as written:
            os.dup2(written.fileno(), number)
    os.chdir(cwd)
    exec(BEGIN + code, {"COPY": copy, "__name__": "__main__"})
