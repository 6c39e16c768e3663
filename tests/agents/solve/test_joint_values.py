"""Solved games of simultaneous moves: OpenSpiel's own value iteration, and play that nobody exploits."""

import pyspiel
import pytest
from open_spiel.python.algorithms.exploitability import nash_conv
from support.joint_trees import JointGame, joint_tree
from support.value_iteration import openspiels_values

from starspiel import UnsupportedGameError, as_policy, solve
from starspiel.agents.bots.optimal import OptimalBot
from starspiel.agents.search import Limits, search
from starspiel.agents.solve.solution import Solution
from starspiel.envs.base import joint_child
from starspiel.envs.load import load_game

#: Players who step past each other on two rows: play goes in cycles.
SOCCER = pyspiel.load_game("markov_soccer", {"grid": "AO.\n..B\n"})
GAMES = {
    "goofspiel": "goofspiel(num_cards=3,imp_info=false,points_order=random)",
    "oshi_zumo": "oshi_zumo(coins=7,size=1,min_bid=1)",
    "oshi_zumo with bids of 0": "oshi_zumo(coins=5,size=1)",
    "soccer": SOCCER,
}


@pytest.mark.parametrize("name", GAMES)
def test_values_of_all_positions_are_openspiels(name, monkeypatch):
    game = load_game(GAMES[name])
    solution = solve(game)
    expected = openspiels_values(game.pyspiel_game, monkeypatch, 1e-10)
    waiting, met = [game.new_initial_state()], 0
    seen = set()
    while waiting:
        state = waiting.pop()
        if state.is_chance_node():
            waiting += [state.child(outcome) for outcome, _ in state.chance_outcomes()]
        elif not state.is_terminal() and str(state) not in seen:
            seen.add(str(state))
            assert solution(game, state) == pytest.approx(expected[str(state)], abs=1e-8)
            met += solution(game, state) not in (-1.0, 0.0, 1.0)
            for row in state.legal_actions(0):
                waiting += [joint_child(state, (row, column)) for column in state.legal_actions(1)]
    assert met, "no position has a value that takes a mixed strategy"


@pytest.mark.slow
def test_nobody_exploits_the_solution(tmp_path):
    game = load_game("oshi_zumo(coins=4,size=1,min_bid=1)")
    solution = Solution.load(solve(game).save(tmp_path / "zumo.npz"))
    bots = [OptimalBot(game, solution, player=seat, seed=1, ties="soonest") for seat in (0, 1)]
    assert nash_conv(game.pyspiel_game, as_policy(bots, game)) == pytest.approx(0, abs=1e-9)


def test_rewards_on_the_way_count():
    game = load_game("repeated_game(stage_game=matrix_rpsw(),num_repetitions=3)")
    solution = solve(game)
    state = joint_child(game.new_initial_state(), (1, 0))
    assert solution.value == pytest.approx(0, abs=1e-12)
    assert solution(game, state) == pytest.approx(state.player_return(0), abs=1e-12)
    assert state.player_return(0) == 1


def test_games_without_keys_are_refused():
    with pytest.raises(UnsupportedGameError, match="no sound key"):
        solve(JointGame(joint_tree(1)))


def test_a_near_horizon_is_part_of_every_key():
    """The game starts at a chance node, which has no key."""
    game = load_game("markov_soccer(grid=AO.\n..B\n,horizon=4)")
    solution, start = solve(game), game.new_initial_state()
    for outcome, _ in start.chance_outcomes():
        state = start.child(outcome)
        found = search(state, "star2", Limits(depth=4), evaluator="zero")
        assert found.exact
        assert solution(game, state) == pytest.approx(found.value, abs=1e-9)
