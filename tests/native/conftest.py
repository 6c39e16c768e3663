"""Shared by the tests of the native core."""

import importlib.util
import os
import random
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pyspiel
import pytest

from starspiel.agents.native_loader import native_status
from starspiel.envs.games import is_shipped, make_game


@pytest.fixture(scope="session")
def core():
    """starspiel._native; tests that need it are skipped where it was not built.

    With STARSPIEL_NATIVE=required, as in CI, they fail there.
    """
    status = native_status()
    if not status.available:
        words = f"no native core: {status.reason}"
        if os.environ.get("STARSPIEL_NATIVE") == "required":
            pytest.fail(words)
        pytest.skip(words)
    return status.module


@pytest.fixture(scope="session")
def search_tree(core, tmp_path_factory):
    """search_tree(nodes, root, depth, share, options): the core's search of an explicit tree.

    Compiled here, so that the package does without it; tests are skipped where there is no compiler or no
    sources.
    """
    compiler, sources = shutil.which("c++"), Path(__file__).parents[2] / "native"
    if compiler is None or importlib.util.find_spec("pybind11") is None or not sources.is_dir():
        pytest.skip("no compiler, pybind11 or sources to build the search of trees with")
    import pybind11

    made = tmp_path_factory.mktemp("trees") / "_trees.so"
    installed = Path(pyspiel.__file__).parent
    headers = [installed, installed / "open_spiel" / "abseil-cpp", installed / "open_spiel/json/include"]
    headers += [Path(pybind11.get_include()), Path(sysconfig.get_path("include"))]
    flags = [
        "-std=c++20",
        "-O1",
        "-ffp-contract=off",
        "-shared",
        "-fPIC",
        "-fvisibility=hidden",
        f"-I{sources}",
    ]
    flags += [flag for header in headers for flag in ("-isystem", str(header))]
    subprocess.run(
        [compiler, *flags, str(Path(__file__).with_name("tree_search.cpp")), "-o", str(made)], check=True
    )
    spec = importlib.util.spec_from_file_location("_trees", made)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.search_tree


@pytest.fixture(scope="session")
def walk():
    """walk(game, seed): the states of a random game."""

    def states(game, seed):
        draw = random.Random(seed)
        state = (make_game if is_shipped(game) else pyspiel.load_game)(game).new_initial_state()
        while True:
            yield state
            if state.is_terminal():
                return
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state = state.child(draw.choices(outcomes, chances)[0])
            else:
                state = state.child(draw.choice(state.legal_actions()))

    return states
