"""OpenSpiel's games of simultaneous moves: its exact algorithms, and its loops of play."""

from itertools import product

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
from open_spiel.python.algorithms.exploitability import nash_conv
from support.value_iteration import openspiels_values

from starspiel import Limits, StarspielError, as_policy, as_rl_agent, make_bot, search
from starspiel.envs.base import joint_child

SMALL = [
    "matrix_rps",
    "matrix_brps",
    "oshi_zumo(coins=4,size=1,min_bid=1)",
    "goofspiel(num_cards=3,imp_info=false,points_order=descending)",
    "goofspiel(num_cards=3,imp_info=false,points_order=random)",
    "goofspiel(num_cards=3,imp_info=false,points_order=ascending,returns_type=point_difference)",
    "repeated_game(stage_game=matrix_mp(),num_repetitions=3)",
]
DEEP = "star2(depth=20)"


@pytest.mark.parametrize("name", [name for name in SMALL if not name.startswith("repeated")])
def test_values_are_those_of_openspiels_value_iteration(name, monkeypatch):
    game = pyspiel.load_game(name)
    expected = openspiels_values(game, monkeypatch)
    waiting, seen = [game.new_initial_state()], set()
    while waiting:
        state = waiting.pop()
        if state.is_terminal() or str(state) in seen:
            continue
        seen.add(str(state))
        if state.is_chance_node():
            waiting += [state.child(outcome) for outcome, _ in state.chance_outcomes()]
            continue
        for algorithm in ("expectiminimax", "star1", "star2"):
            result = search(state, algorithm, Limits(depth=20), "zero")
            assert result.value == pytest.approx(expected[str(state)], abs=1e-9)
        moves = product(state.legal_actions(0), state.legal_actions(1))
        waiting += [joint_child(state, joint) for joint in moves]


@pytest.mark.parametrize("name", SMALL)
def test_nobody_exploits_a_search_to_the_end(name):
    assert nash_conv(pyspiel.load_game(name), as_policy(DEEP, name)) == pytest.approx(0, abs=1e-9)


def test_the_table_changes_no_value():
    state = pyspiel.load_game("goofspiel(num_cards=4,imp_info=false,points_order=random)").new_initial_state()
    state.apply_action(2)
    with_table, without = (
        search(state, "star1", Limits(depth=3), "zero", table_mb=size) for size in (64, None)
    )
    assert with_table.value == pytest.approx(without.value, abs=1e-12)
    assert with_table.statistics.table_hits > 0
    assert with_table.nodes < without.nodes


@pytest.mark.slow
@pytest.mark.parametrize("loop", [evaluate_bots, pyspiel.evaluate_bots])
def test_openspiels_loops_play_them(loop):
    game = pyspiel.load_game("goofspiel(num_cards=3,imp_info=false,points_order=descending)")
    total = 0.0
    for seed in range(6):
        bots = [make_bot(DEEP, game, 0, seed), make_bot("random", game, 1, seed)]
        draw = np.random.RandomState(seed) if loop is evaluate_bots else seed
        total += loop(game.new_initial_state(), bots, draw)[0]
    assert total > 2  # a sum of 6 results of +-1; 0 +- 2.4 between equals


def test_a_bot_draws_from_its_strategy():
    game = pyspiel.load_game("matrix_brps")
    for player in (0, 1):
        bot = make_bot(DEEP, game, player, 1)
        state = game.new_initial_state()
        expected = search(state, "star2").policies[player]
        drawn = np.zeros(3)
        for _ in range(80):
            policy, action = bot.step_with_policy(state)
            drawn[action] += 1 / 80
            assert dict(policy) == pytest.approx(expected)
        assert drawn == pytest.approx([expected[a] for a in range(3)], abs=0.18)
        assert bot.move_values(state).keys() == expected.keys()


def test_a_policy_needs_to_know_whose():
    policy = as_policy("random", "matrix_rps")
    state = pyspiel.load_game("matrix_rps").new_initial_state()
    assert policy.action_probabilities(state, 1) == pytest.approx(dict.fromkeys(range(3), 1 / 3))
    with pytest.raises(StarspielError, match="expected a player_id"):
        policy.action_probabilities(state)


def test_they_act_in_openspiels_environment():
    name = "oshi_zumo(coins=4,size=1,horizon=10)"
    environment = rl_environment.Environment(name, include_full_state=True)
    agents = [as_rl_agent("star2(depth=1)", name, seat, seed=1) for seat in (0, 1)]
    step = environment.reset()
    while not step.last():
        outputs = [agent.step(step) for agent in agents]
        assert all(output.probs.sum() == pytest.approx(1) for output in outputs)
        step = environment.step([output.action for output in outputs])
    assert sum(step.rewards) == 0
