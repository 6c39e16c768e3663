"""The native core loads where it was built, and everything says why where it does not."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pyspiel
import pytest

from starspiel.agents.search import Limits, native, search


def _perft(state, depth):
    if depth == 0 or state.is_terminal():
        return 1
    return sum(_perft(state.child(action), depth - 1) for action in state.legal_actions())


@pytest.mark.parametrize("game", ["pig", "maedn", "yacht(num_dice=3)", "2048"])
def test_walks_pyspiel_states(core, game):
    state = pyspiel.load_game(game).new_initial_state()
    assert core.perft(state, 3) == _perft(state, 3)


def test_switched_off_at_run_time(monkeypatch):
    monkeypatch.setenv("STARSPIEL_NATIVE", "off")
    status = native.native_status()
    assert not status.available
    assert "STARSPIEL_NATIVE" in status.reason


def test_a_package_without_the_core_says_so(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *package: None if name == "starspiel._native" else find(name, *package),
    )
    native._load.cache_clear()
    try:
        status = native.native_status()
    finally:
        native._load.cache_clear()
    assert status.module is None
    assert "installed without it" in status.reason


@pytest.mark.slow
def test_installs_and_searches_without_the_core(tmp_path):
    """What a machine without a compiler has; here the build is told to leave the core out."""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "STARSPIEL_NATIVE": "OFF"}
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(tmp_path),
        str(root),
    ]
    subprocess.run(command, env=environment, check=True)
    program = """if True:
        import sys
        # An editable installation, if this is one, would come first.
        sys.meta_path = [f for f in sys.meta_path if "_editable_" not in type(f).__module__]
        import pyspiel
        import starspiel
        from starspiel.agents.search.native import native_status
        state = pyspiel.load_game("pig").new_initial_state()
        result = starspiel.search(state, "star2", starspiel.Limits(depth=3), "heuristic")
        print(starspiel.__file__)
        print(result.engine, round(result.value, 12))
        print(native_status().reason)
    """
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    environment.pop("STARSPIEL_NATIVE", None)
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    file, searched, reason = ran.stdout.splitlines()
    assert file.startswith(str(tmp_path))
    value = search(pyspiel.load_game("pig").new_initial_state(), "star2", Limits(depth=3), "heuristic").value
    assert searched == f"python {round(value, 12)}"
    assert "installed without it" in reason


def test_another_open_spiel_version_is_refused(core, monkeypatch):
    monkeypatch.setattr(native.metadata, "version", lambda name: "0.0.1")
    native._load.cache_clear()
    try:
        status = native.native_status()
        assert not status.available
        assert "0.0.1" in status.reason
    finally:
        native._load.cache_clear()
