"""The recipes of docs/development.md work: followed in a copy of the package, with the page's own code."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.installation import copy_to, run_with

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
#: The lists that recipes add an entry to, and how each begins.
LISTS = {"envs/kits.py": "KITS: tuple[GameKit, ...] = (\n", "CMakeLists.txt": "set(models\n"}
SEARCHES = """
from starspiel import Limits, load_game, search
state = load_game("race").new_initial_state()
values = {engine: search(state, "star2", Limits(depth=6), evaluator="zero", engine=engine).value
          for engine in ENGINES}
assert max(values.values()) - min(values.values()) < 1e-9, values
"""
GAME = """
command("check race --seconds 5")
command("tournament race --agents random star2 --pairs 2")
import pyspiel
assert pyspiel.load_game("race").num_distinct_actions() == 2
"""
#: Further files of its folder.
KNOWLEDGE = {
    "heuristic": """
from starspiel.envs.games.fitted import FittedHeuristic

class RaceHeuristic(FittedHeuristic):
    name, weights = "heuristic(race)", (0.5,)

    def features(self, position):
        return (float(position.steps[0] - position.steps[1]),)
""",
    "encoder": """
import numpy as np
from starspiel.envs.games.encoding import PositionEncoder

class RaceEncoder(PositionEncoder):
    name, units = "race", np.ones(2, dtype=np.float32)

    def __init__(self, game):
        pass

    def sees(self, state):
        return state.current_player() >= 0

    def inputs(self, position, turn):
        return [(0, position.steps[turn]), (1, position.steps[1 - turn])]
""",
}
KIT = '    _kit("race", "Race", "rules heuristic encoder"),\n'
LEARNS = """
state = load_game("race").new_initial_state()
assert search(state, limits=Limits(depth=3)).evaluator == "heuristic(race)"
command("train race --games 200 --hidden 4 --threads 1 --output race.npz")
assert set(search(state, evaluator="net(file=race.npz)").action_values) == {0, 1}
"""


def test_a_dice_game_takes_its_folder_and_one_entry(tmp_path):
    copy_to(tmp_path)
    package = tmp_path / "starspiel"
    follow("A dice game that ships", package)
    run_with(tmp_path, f"ENGINES = ('python',){SEARCHES}{GAME}", tmp_path)
    for name, text in KNOWLEDGE.items():
        (package / "envs" / "games" / "race" / f"{name}.py").write_text(text, encoding="utf-8")
    add(package / "envs" / "kits.py", LISTS["envs/kits.py"], KIT)
    run_with(tmp_path, f"from starspiel import Limits, load_game, search{LEARNS}", tmp_path)


@pytest.mark.slow  # It compiles the core.
@pytest.mark.skipif(find_spec("starspiel._native") is None, reason="the C++ core is not installed")
def test_a_cpp_model_takes_its_header_and_one_line(tmp_path):
    pytest.importorskip("scikit_build_core", reason="builds the package")
    sources, installed = tmp_path / "sources", tmp_path / "installed"
    ignored = shutil.ignore_patterns("__pycache__", ".*", "build", "tests", "docs", "benchmarks", "examples")
    shutil.copytree(ROOT, sources, ignore=ignored)
    follow("A dice game that ships", sources)
    follow("A C++ model of a game", sources)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    environment = os.environ | {"STARSPIEL_NATIVE": "required"}
    subprocess.run([*command, "--target", installed, sources], env=environment, check=True)
    run_with(installed, f"ENGINES = ('python', 'native'){SEARCHES}", tmp_path)


def follow(recipe, sources):
    """Writes the recipe's files; an entry of a list takes the place of one for the same game."""
    text = PAGE.partition(f"**{recipe}.**")[2].partition("\n\n**")[0]
    blocks = re.findall(r"```\w+\n(?:#|//) (\S+)\n(.*?)```", text, re.DOTALL)
    assert blocks, f"no code in the recipe: {recipe}"
    for name, code in blocks:
        file = sources / name
        if name in LISTS:
            add(file, LISTS[name], code)
            continue
        file.parent.mkdir(exist_ok=True)
        if file.suffix == ".py":
            (file.parent / "__init__.py").touch()
        file.write_text(code, encoding="utf-8")


def add(file, begin, entry):
    """Puts an entry first in the list that begins so; an earlier one of the same game goes."""
    earlier = re.sub(r' +GameKit\("race".*\n', "", file.read_text(encoding="utf-8"))
    assert begin in earlier, f"{file} has no list that begins with {begin!r}"
    file.write_text(earlier.replace(begin, begin + entry, 1), encoding="utf-8")
