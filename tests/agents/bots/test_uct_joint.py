"""UCT where both players move at once: proofs against brute force, and regret matching near equilibria."""

import numpy as np
import pytest
from support.joint_trees import JointGame, joint, joint_tree, joint_value
from support.trees import leaf

from starspiel.agents import make_bot
from starspiel.agents.bots.mcts import MCTSBot
from starspiel.agents.bots.regret_matching import RegretMatching
from starspiel.agents.bots.uct import UCTBot
from starspiel.envs.base import joint_child
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.load import load_game

GOOFSPIEL = "goofspiel(imp_info=False,num_cards=4)"


def policies(spec, game, state, seed=1):
    return [
        np.array([p for _, p in make_bot(spec, game, player, seed).get_policy(state)]) for player in (0, 1)
    ]


def exploitability(payoffs, rows, columns):
    """By how much best answers to both strategies beat each other."""
    return (payoffs @ columns).max() - (rows @ payoffs).min()


def test_what_is_proven_is_the_value_by_brute_force():
    proven = 0
    for seed in range(24):
        node = joint_tree(seed)
        game = JointGame(node)
        state = game.new_initial_state()
        bot = UCTBot(game, 3, simulations=1500)
        searched = bot._begun(state)
        searched.run(1500, None)
        value = searched._root.proven
        if value is None:
            continue
        proven += 1
        assert value == pytest.approx(joint_value(node, 99), abs=1e-7)
        rows, columns = (searched.policy(player) for player in (0, 1))
        payoffs = [[joint_value(joint_child(state, (i, j)).node, 99) for j in columns] for i in rows]
        chances = [np.array(list(each.values())) for each in (rows, columns)]
        assert exploitability(np.array(payoffs), *chances) == pytest.approx(0.0, abs=1e-7)
    assert proven > 12


@pytest.mark.slow
def test_unequal_rock_paper_scissors_needs_unequal_chances():
    game = load_game("matrix_brps")
    exact = [0.0625, 0.625, 0.3125]
    for rows in policies("uct(simulations=60)", game, game.new_initial_state()):
        assert rows == pytest.approx(exact), "proven"
    for rows in policies("uct(simulations=8000,solve=false)", game, game.new_initial_state()):
        assert rows == pytest.approx(exact, abs=0.08)


def test_nothing_is_learned_from_moves_that_have_not_met():
    matching = RegretMatching(((0, 1), (0, 1)))
    matching.learn(0, 0, lambda row, column: 1.0 if (row, column) == (0, 0) else None)
    assert matching.average(0) == [0.5, 0.5]
    matching.learn(0, 0, lambda row, column: {(0, 0): 0.0, (1, 0): 1.0}.get((row, column)))
    matching.learn(0, 0, lambda row, column: {(0, 0): 0.0, (1, 0): 1.0}.get((row, column)))
    assert matching.average(0)[1] > 0.5
    assert matching.average(1) == [0.5, 0.5]


def test_it_draws_from_its_policy_by_its_seed():
    game = load_game(GOOFSPIEL)
    state = game.new_initial_state().child(3)
    bot, same = (make_bot("uct(simulations=50)", game, 1, 5) for _ in range(2))
    asked = bot.get_policy(state)
    policy, action = bot.step_with_policy(state)
    assert policy == asked
    assert [each for each, _ in policy] == state.legal_actions(1)
    assert sum(chance for _, chance in policy) == pytest.approx(1.0)
    assert dict(policy)[action] > 0
    assert same.step(state) == action
    assert bot.last_nodes == 50
    drawn = {make_bot("uct(simulations=2)", game, 0, seed).step(state) for seed in range(30)}
    assert len(drawn) > 1
    values = bot.move_values(state)
    assert set(values) == set(state.legal_actions(1))
    assert all(-1.0 <= value <= 1.0 for value in values.values())


def test_a_full_tree_grows_no_more():
    game = load_game("oshi_zumo(coins=20,size=2,horizon=20)")
    bot = UCTBot(game, 1, simulations=400, memory_mb=1)
    object.__setattr__(bot._settings, "most_nodes", 40)
    policy = bot.get_policy(game.new_initial_state())
    assert sum(chance for _, chance in policy) == pytest.approx(1.0)


def test_an_analysis_is_both_strategies_and_what_moves_are_worth_against_them():
    state = load_game("matrix_brps").new_initial_state()
    payoffs = np.array([[joint_child(state, (i, j)).returns()[0] for j in range(3)] for i in range(3)])
    found = make_bot("uct(simulations=3000,solve=false)", state.get_game(), seed=1).analysis(state)
    rows, columns = (np.array([policy[action] for action in range(3)]) for policy in found.policies)
    assert rows == pytest.approx(np.array([1, 10, 5]) / 16, abs=0.1)
    for strategy, worth in zip(found.strategies, (payoffs @ columns, rows @ payoffs), strict=True):
        assert [strategy.action_values[action] for action in range(3)] == pytest.approx(worth.tolist())
        assert strategy.names == {0: "Rock", 1: "Paper", 2: "Scissors"}
    assert found.value == pytest.approx(rows @ payoffs @ columns)
    assert sum(found.visits.values()) == 3000
    assert "player 1" in str(found)


def test_what_it_does_not_play_is_refused():
    game = load_game(GOOFSPIEL)
    with pytest.raises(UnsupportedGameError, match="only uct's Python engine searches; use engine=auto"):
        UCTBot(game, 1, engine="native")
    with pytest.raises(UnsupportedGameError, match=r"its players move at once\. Use uct"):
        MCTSBot(game, 1)
    tree = JointGame(joint([leaf(0.0)]))
    tree.utility_sum = None
    with pytest.raises(UnsupportedGameError, match=r"not zero-sum.* agents of your own do"):
        UCTBot(tree, 1)
