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


def test_a_dice_game_takes_its_folder_and_one_entry(tmp_path):
    copy_to(tmp_path)
    follow("A dice game that ships", tmp_path / "starspiel")
    run_with(tmp_path, f"ENGINES = ('python',){SEARCHES}{GAME}", tmp_path)


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
            earlier = re.sub(r' +GameKit\("race".*\n', "", file.read_text(encoding="utf-8"))
            before, begin, after = earlier.partition(LISTS[name])
            assert begin, f"{name} has no list that begins with {LISTS[name]!r}"
            code = before + begin + code + after
        else:
            file.parent.mkdir(exist_ok=True)
            if file.suffix == ".py":
                (file.parent / "__init__.py").touch()
        file.write_text(code, encoding="utf-8")
