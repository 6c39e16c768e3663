"""Shared by the tests of the native core."""

import fcntl
import importlib.util
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pyspiel
import pytest

from starspiel.agents.native_loader import native_status


@pytest.fixture(scope="session")
def core():
    """starspiel._native; tests that need it are skipped if it was not built.

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
def probe(core, tmp_path_factory):
    """What only tests ask of the core: probe.cpp, which is compiled here.

    describe(state, enough=None): what the core's model says of a state, a pyspiel state or a RulesPosition:
    player, value (player 0's return so far) and bytes (of the position); next: (action, 1, bytes of the
    position after it) for moves, (outcome, probability, bytes) for outcomes; allowed: the legal actions;
    heuristic; best: (action, value) of the best move by the heuristic, or of one worth `enough`; mean: of
    these over the outcomes. The last three are None if the model has no such thing. Of several players also
    returns: each player's, at the end; before, by the heuristic.

    search_tree(nodes, root, depth, share, options): a search of an explicit tree; search_vector_tree: one by
    max^n of a tree of vectors.

    Tests are skipped if there is no compiler or there are no sources.
    """
    compiler, sources = shutil.which("c++"), Path(__file__).parents[2] / "native"
    if compiler is None or importlib.util.find_spec("pybind11") is None or not sources.is_dir():
        pytest.skip("no compiler, pybind11 or sources to build what the tests ask")
    # In the folder of this run, which pytest's workers have in common: one of them compiles.
    own = tmp_path_factory.getbasetemp()
    folder = (own if os.environ.get("PYTEST_XDIST_WORKER") is None else own.parent) / "probe"
    folder.mkdir(exist_ok=True)
    made = folder / "_probe.so"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            compile_probe(compiler, sources, folder, made)
    spec = importlib.util.spec_from_file_location("_probe", made)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_probe(compiler, sources, folder, made):
    import pybind11

    models = re.findall(
        r"^    (\w+):(\w+Model)\b", (sources.parent / "CMakeLists.txt").read_text(), re.MULTILINE
    )
    includes = "".join(f'#include "models/{header}.hpp"\n' for header, _ in models)
    names = ", ".join(f"starspiel::{name}" for _, name in models)
    (folder / "models.hpp").write_text(f"{includes}#define STARSPIEL_MODELS {names}\n")
    installed = Path(pyspiel.__file__).parent
    headers = [installed, installed / "open_spiel" / "abseil-cpp", installed / "open_spiel/json/include"]
    headers += [Path(pybind11.get_include()), Path(sysconfig.get_path("include"))]
    flags = ["-std=c++20", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-fvisibility=hidden"]
    flags += [f"-I{sources}", f"-I{folder}"]
    flags += [flag for header in headers for flag in ("-isystem", str(header))]
    half = made.with_suffix(".half")
    source = str(Path(__file__).with_name("probe.cpp"))
    subprocess.run([compiler, *flags, source, "-o", str(half)], check=True)
    half.rename(made)


@pytest.fixture(scope="session")
def search_tree(probe):
    return probe.search_tree
