"""Shared by the tests of the native core."""

import os
import random

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
