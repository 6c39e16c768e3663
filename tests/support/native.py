"""What tests of the native core share."""

import math
import random

import pyspiel

from starspiel.envs.games import is_shipped, make_game

#: Everything off that the Python engine does not have, and what both engines count.
OFF = {"table_mb": None, "merge": False, "order": False}
COUNTS = ("nodes", "leaves", "decision_cutoffs", "chance_cutoffs", "probes", "probes_won")
WIDE = (-math.inf, math.inf)


def core_options(core, bounds=WIDE, **changes):
    """The core's options of a plain expectiminimax, but for the changes."""
    plain = {
        "prune": False,
        "probes": 0,
        "bounds": bounds,
        "value_range": bounds,
        "merge": False,
        "order": False,
        "table_bytes": 0,
    }
    return core.Options(**plain | changes)


def walk(game, seed):
    """The states of a random game."""
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


def spread(all_of_them, number, most=20):
    """All of a few, or some of many: others for each number."""
    step = 1 + len(all_of_them) // most
    return all_of_them[number % step :: step]


def decisions(game, seed, every=None, most=4):
    """The decision nodes of a random game, or some of them."""
    states = [state for state in walk(game, seed) if state.current_player() >= 0]
    return states if every is None else states[every // 2 :: every][:most]


def some_decisions(game, count):
    """Up to `count` decision nodes spread over random games."""
    return [random.Random(seed).choice(decisions(game, seed)) for seed in range(count)]


def assert_same_search(python, native):
    """Holds the native engine to the Python engine's values, nodes and counts."""
    assert (python.engine, native.engine) == ("python", "native")
    for count in COUNTS:
        assert getattr(native.statistics, count) == getattr(python.statistics, count), count
    assert dict(native.action_values) == _nearly(python.action_values)
    assert native.best_actions == python.best_actions
    assert native.exact == python.exact


def _nearly(values):
    import pytest

    return pytest.approx(values, abs=1e-12)
