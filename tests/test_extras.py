"""Extras come off: without one, the package is imported, lists itself and plays a tournament."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: The folders, or modules, that can be taken out, together with what stands on them.
EXTRAS = {
    "agents/openspiel": (),
    "agents/env_agent.py": (),
    "agents/rollouts": ("agents/calibration",),
    "agents/book": (),
    "agents/learning": (),
    "agents/calibration": (),
    "agents/conformance.py": ("agents/seats/conformance.py",),
    "agents/search/tree": (),
    "envs/pettingzoo": (),
    "envs/conformance": ("agents/conformance.py", "agents/seats/conformance.py"),
}
#: What is run without it. An editable install finds the checkout by a hook, which the copy goes without.
RUN = """
import runpy, sys
copy, *folders = sys.argv[1:]
sys.meta_path[:] = [finder for finder in sys.meta_path if "Editable" not in type(finder).__name__
                    and "ScikitBuild" not in type(finder).__name__]
sys.path.insert(0, copy)
import starspiel
assert starspiel.__file__.startswith(copy), starspiel.__file__
state = starspiel.load_game("star_pig(goal=20)").new_initial_state()
assert starspiel.search(state).best_action in state.legal_actions()
from starspiel_cli import main
for command in ("--help", "agents", "tournament pig --agents random greedy --pairs 1"):
    sys.argv = ["starspiel", *command.split()]
    try:
        main()
    except SystemExit as left:
        assert not left.code, command
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A copy of the package, laid out as an installation is."""
    copy = tmp_path_factory.mktemp("installed")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "starspiel_cli", copy / "starspiel_cli", ignore=ignored)
    shutil.copytree(ROOT / "src" / "starspiel", copy / "starspiel", ignore=ignored)
    for package in ("agents", "envs", "evaluation"):
        shutil.copytree(ROOT / package, copy / "starspiel" / package, ignore=ignored)
    native = find_spec("starspiel._native")
    if native is not None and native.origin is not None:
        shutil.copy(native.origin, copy / "starspiel")
    return copy


@pytest.mark.parametrize("extra", EXTRAS)
def test_everything_else_works_without_an_extra(extra, installed, tmp_path):
    taken = [installed / "starspiel" / each for each in (extra, *EXTRAS[extra])]
    aside = [path.rename(tmp_path / f"{number}-{path.name}") for number, path in enumerate(taken)]
    try:
        ran = subprocess.run(
            [sys.executable, "-c", RUN, str(installed)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=120,
        )
    finally:
        for path, put_aside in zip(taken, aside, strict=True):
            put_aside.rename(path)
    assert ran.returncode == 0, ran.stderr
    assert ("rollout " in ran.stdout) == (extra != "agents/rollouts")
