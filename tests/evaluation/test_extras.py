"""Each extra of evaluation comes off: a copy of the package without it still plays and shows tournaments."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import starspiel
import starspiel.agents
import starspiel.envs
import starspiel.evaluation
import starspiel_cli

#: Runs the command line of the copy that is the working directory, and of no other.
RUN = """
import sys
sys.meta_path[:] = [each for each in sys.meta_path if "ditable" not in repr(each)]
sys.path.insert(0, ".")
from starspiel_cli import main
main()
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the installed package, in one folder."""
    root = tmp_path_factory.mktemp("package")
    without = shutil.ignore_patterns("__pycache__")
    package = Path(starspiel.__file__).parent
    shutil.copytree(package, root / "starspiel", ignore=without)
    for room in (starspiel.agents, starspiel.envs, starspiel.evaluation):
        target = root / "starspiel" / room.__name__.rpartition(".")[2]
        shutil.copytree(Path(room.__file__).parent, target, ignore=without, dirs_exist_ok=True)
    shutil.copytree(Path(starspiel_cli.__file__).parent, root / "starspiel_cli", ignore=without)
    return root


@pytest.fixture
def run(copied):
    def run(*arguments):
        command = [sys.executable, "-c", RUN, *arguments]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            command, cwd=copied, env=environment, capture_output=True, text=True, check=False
        )

    return run


@pytest.mark.parametrize("extra", ["report", "review", "ladder.py", "luck.py"])
def test_without_an_extra_the_core_plays(extra, copied, run):
    place = copied / "starspiel" / "evaluation" / extra
    away = copied / "away"
    place.rename(away)
    try:
        listed = run("--help").stdout
        played = run("tournament", "pig", "--agents", "random", "star2(depth=1)", "--pairs", "1")
        reported = run(
            "tournament", "pig", "--agents", "random", "star2", "--pairs", "1", "--report", "a.html"
        )
        lucky = run("tournament", "pig", "--agents", "random", "star2", "--pairs", "1", "--luck")
    finally:
        away.rename(place)
    assert "tournament" in listed
    assert ("ladder" in listed) is (extra != "ladder.py")
    assert played.returncode == 0, played.stderr
    assert "star2(depth=1)" in played.stdout
    missing = "starspiel.evaluation.report.files is not part of this installation"
    assert (missing in reported.stderr) is (extra == "report")
    missing = "starspiel.evaluation.luck is not part of this installation"
    assert (missing in lucky.stderr) is (extra == "luck.py")
