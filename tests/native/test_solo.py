"""The core's tables of categories: the same values as in Python."""

import random

import pytest
from support.native import core_options

from starspiel import Limits, load_game, make_evaluator, search


@pytest.mark.parametrize(
    "name",
    [
        "yacht(players=2)",
        "yacht(players=1)",
        "yacht(players=2,sort_dice=true)",
        "yacht(players=2,num_dice=3,dice_sides=4,rolls_per_turn=4)",
        "yacht(players=2,num_dice=2,rolls_per_turn=1)",
    ],
)
def test_values_equal_those_in_python(core, name):
    game = load_game(name)
    evaluator, draw = make_evaluator("solo", game), random.Random(1)
    state, compared = game.new_initial_state(), 0
    engine = core.Engine(state, True, evaluator.for_core(core, state, game), core_options(core))
    while not state.is_terminal():
        assert engine.evaluate(state) == pytest.approx(evaluator(state), abs=1e-9)
        compared += 1
        actions = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state = state.child(draw.choice(actions))
    assert compared > 20


@pytest.mark.parametrize("depth", [1, 2])
def test_both_engines_play_alike(core, depth):
    game = "yacht(players=2,num_dice=2,dice_sides=4)"
    state, draw = load_game(game).new_initial_state(), random.Random(4)
    for _ in range(9):
        state = state.child(draw.choice(state.legal_actions()))
    while state.is_chance_node():
        state = state.child(draw.choice(state.legal_actions()))
    found = [
        search(state, "star2", Limits(depth=depth), "solo", engine=engine) for engine in ("native", "python")
    ]
    assert found[0].value == pytest.approx(found[1].value, abs=1e-9)
    assert found[0].best_actions == found[1].best_actions
    assert not found[0].notes
