"""Shared by the tests of the native core."""

import importlib.util
import os
import time

import pytest
from support.probe import can_compile, probe_in

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

    Tests are skipped if there is no compiler or there are no sources. tests/conftest.py has begun to compile.
    """
    if not can_compile():
        pytest.skip("no compiler, pybind11 or sources to build what the tests ask")
    made = probe_in(tmp_path_factory)
    while not made.exists():
        if (failed := made.with_suffix(".failed")).exists():
            pytest.fail(failed.read_text())
        time.sleep(0.1)
    spec = importlib.util.spec_from_file_location("_probe", made)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def search_tree(probe):
    return probe.search_tree
