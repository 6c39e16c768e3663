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
#: The lists that recipes add an entry to, as these name them, and what each begins with.
LISTS = {
    "envs/kits.py": "KITS: tuple[GameKit, ...] = (\n",
    "CMakeLists.txt": "set(models\n",
    "agents/registry.py, EVALUATORS": "EVALUATORS: dict[str, Entry] = {\n",
    "native/evaluators.hpp": '#include "leaf.hpp"\n',
    "native/evaluators.hpp, Evaluation": "using Evaluation = std::variant<",
    "src/starspiel/_native.pyi": '    """The evaluator of agents/evaluators/zero.py."""\n\n',
    "src/starspiel/_native.pyi, Engine": "evaluator: Zero\n",
}
SEARCHES = """
from starspiel import Limits, load_game, search
state = load_game("race").new_initial_state()
for evaluator in ("zero", "lead(worth=0.15)"):
    for off in ({}, {"order": False, "merge": False, "table_mb": None}):
        found = [search(state, "star2", Limits(depth=6), evaluator=evaluator, engine=engine, **off)
                 for engine in ENGINES]
        values, nodes = [result.value for result in found], {result.statistics.nodes for result in found}
        assert max(values) - min(values) < 1e-9, values
        assert not off or len(nodes) == 1, nodes
assert values[0] != 0
"""
#: No call of Python, and not of the games that it cannot value.
IN_CORE = """
from starspiel import make_evaluator
from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import for_core
core, lead = native_status().module, make_evaluator("lead", load_game("race"))
options = core.Options(prune=False, probes=0, bounds=(-1, 1), value_range=(-1, 1), merge=False, order=False,
                       table_bytes=0)

def engine_of(game):
    root = for_core(core, load_game(game).new_initial_state())
    return core.Engine(root, True, lead.for_core(core, root, game), options)

assert engine_of("race").by_position
try:
    engine_of("pig")
except ValueError:
    pass
else:
    raise AssertionError("it values pig")
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


@pytest.mark.slow
def test_a_dice_game_and_an_evaluator_take_their_files_and_one_entry(tmp_path):
    copy_to(tmp_path)
    package = tmp_path / "starspiel"
    follow("A dice game that ships", package)
    follow("An evaluator", package)
    run_with(tmp_path, f"ENGINES = ('python',){SEARCHES}{GAME}", tmp_path)
    for name, text in KNOWLEDGE.items():
        (package / "envs" / "games" / "race" / f"{name}.py").write_text(text, encoding="utf-8")
    add(package / "envs" / "kits.py", LISTS["envs/kits.py"], KIT)
    run_with(tmp_path, f"from starspiel import Limits, load_game, search{LEARNS}", tmp_path)


@pytest.mark.slow  # It compiles the core.
@pytest.mark.skipif(find_spec("starspiel._native") is None, reason="the C++ core is not installed")
def test_a_cpp_model_and_a_native_evaluator_give_the_values_of_python(tmp_path):
    pytest.importorskip("scikit_build_core", reason="builds the package")
    sources, installed = tmp_path / "sources", tmp_path / "installed"
    ignored = shutil.ignore_patterns("__pycache__", ".*", "build", "tests", "docs", "benchmarks", "examples")
    shutil.copytree(ROOT, sources, ignore=ignored)
    for recipe in ("A dice game that ships", "A C++ model of a game", "An evaluator", "A native evaluator"):
        follow(recipe, sources)
    only_compile(("race:RaceModel",), sources / "CMakeLists.txt")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    quickly = "-DSTARSPIEL_OPTIMISATION=-O0"
    environment = os.environ | {"STARSPIEL_NATIVE": "required", "CMAKE_ARGS": quickly}
    subprocess.run([*command, "--target", installed, sources], env=environment, check=True)
    run_with(installed, f"ENGINES = ('python', 'native'){SEARCHES}{IN_CORE}", tmp_path)


def follow(recipe, sources):
    """Writes the recipe's files, or adds to them; an entry of a list replaces one for the same game."""
    text = PAGE.partition(f"**{recipe}.**")[2].partition("\n\n**")[0]
    blocks = re.findall(r"```\w+\n(?:#|//) ([^\n]+)\n(.*?)```", text, re.DOTALL)
    assert blocks, f"no code in the recipe: {recipe}"
    for name, code in blocks:
        file = sources / name.partition(",")[0]
        if name in LISTS:
            add(file, LISTS[name], code)
            continue
        file.parent.mkdir(exist_ok=True)
        if file.suffix == ".py":
            (file.parent / "__init__.py").touch()
        with file.open("a", encoding="utf-8") as written:
            written.write(code)


def only_compile(models, file):
    """Leaves these of all models, to compile in a fraction of the time."""
    listed, text = r"(set\(models\n)([^)]*)\)", file.read_text(encoding="utf-8")
    assert set(models) <= set(re.search(listed, text)[2].split())
    few = re.sub(r"set\(sources \d+\)", "set(sources 1)", re.sub(listed, rf"\1{' '.join(models)})", text))
    file.write_text(few, encoding="utf-8")


def add(file, begin, entry):
    """Puts an entry first in the list that begins so; an earlier one of the same game goes."""
    earlier = re.sub(r' +GameKit\("race".*\n', "", file.read_text(encoding="utf-8"))
    assert begin in earlier, f"{file} has no list that begins with {begin!r}"
    file.write_text(earlier.replace(begin, begin + entry, 1), encoding="utf-8")
