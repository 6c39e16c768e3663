"""The native core loads where it was built, and everything says why where it does not."""

import pyspiel
import pytest

from starspiel.agents.search import native


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


def test_another_open_spiel_version_is_refused(core, monkeypatch):
    monkeypatch.setattr(native.metadata, "version", lambda name: "0.0.1")
    native._load.cache_clear()
    try:
        status = native.native_status()
        assert not status.available
        assert "0.0.1" in status.reason
    finally:
        native._load.cache_clear()
