"""Agents as OpenSpiel policies: its own check, its values, best responses, aggregators and tables."""

import unittest

import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import best_response, exploitability, policy_aggregator
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.tests import policy_test
from support.toss_race import TossRace

from starspiel import (
    StarspielError,
    UnsupportedGameError,
    as_mcts_evaluator,
    as_policy,
    as_rl_agent,
    load_game,
    make_bot,
    register_openspiel,
    solve,
)
from starspiel.envs.games.pig import Pig

#: Six decisions of a game with a coin, small enough for OpenSpiel's recursions.
PIG = "pig(players=2,winscore=3,diceoutcomes=2,horizon=6)"
PIG_FOR_THREE = "pig(players=3,winscore=2,diceoutcomes=2,horizon=6)"
NIM = "nim(pile_sizes=1;2;3)"
#: A coin, and information states, which OpenSpiel's pig does not tell.
COIN = register_openspiel(TossRace, "toss_race")
SPECS = [
    "random",
    "greedy",
    "star2(depth=8)",
    "expectiminimax(depth=2,ties=random)",
    "mcts(simulations=20)",
    "uct(simulations=10)",
    "star2(depth=1,evaluator=rollout)",
]


@pytest.mark.parametrize("game", [NIM, COIN])
@pytest.mark.parametrize("spec", SPECS)
def test_openspiels_own_check_of_a_policy(spec, game):
    checked = as_policy(spec, game)
    assert isinstance(checked, policy.Policy)
    policy_test.test_policy_on_game(unittest.TestCase(), pyspiel.load_game(game), checked)


@pytest.mark.parametrize("game", [PIG_FOR_THREE, COIN])
@pytest.mark.parametrize("spec", SPECS)
def test_it_is_a_function_of_the_state_over_all_legal_actions(spec, game):
    one, other = as_policy(spec, game, seed=3), as_policy(spec, game, seed=3)
    state = pyspiel.load_game(game).new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.chance_outcomes()[-1][0])
            continue
        told = one.action_probabilities(state)
        assert list(told) == state.legal_actions()
        assert sum(told.values()) == pytest.approx(1.0)
        assert one(state) == told == other.action_probabilities(state, state.current_player())
        assert one.action_probabilities(state, 1 - state.current_player()) == {0: 1.0}
        state.apply_action(state.legal_actions()[-1])


@pytest.mark.parametrize("game", [NIM, COIN])
def test_perfect_play_cannot_be_exploited_and_chance_play_can(game):
    played = pyspiel.load_game(game)
    perfect, chance = as_policy("star2(depth=8)", game), as_policy("random", game)
    value = solve(game).value
    for use_cpp in (False, True):
        assert exploitability.nash_conv(played, perfect, use_cpp_br=use_cpp) == pytest.approx(0.0)
    assert exploitability.exploitability(played, perfect) == pytest.approx(0.0)
    assert policy_value(played.new_initial_state(), [perfect] * 2) == pytest.approx([value, -value])
    assert exploitability.nash_conv(played, chance) == pytest.approx(
        exploitability.nash_conv(played, policy.UniformRandomPolicy(played))
    )
    best = best_response.BestResponsePolicy(played, 0, chance)
    assert best.value(played.new_initial_state()) > value + 0.01


def test_values_with_dice():
    """Two policies, one for each seat, as OpenSpiel takes them."""
    state = pyspiel.load_game(PIG).new_initial_state()
    best, chance = as_policy("star2(depth=8)", PIG), as_policy("random", PIG)
    perfect, against, luck = (
        policy_value(state, pair)[0] for pair in ([best, best], [best, chance], [chance, chance])
    )
    assert perfect == pytest.approx(solve(PIG).value)
    assert against > luck
    assert against >= perfect


def test_tables_and_aggregates():
    game = pyspiel.load_game(NIM)
    agent, chance = as_policy("star2(depth=8)", game), policy.UniformRandomPolicy(game)
    for table in (agent.to_tabular(), policy.tabular_policy_from_callable(game, agent)):
        assert policy_value(game.new_initial_state(), [table] * 2) == pytest.approx([-1.0, 1.0])
    mixed = policy_aggregator.PolicyAggregator(game).aggregate(
        [0, 1], [[agent, chance], [agent, chance]], [[0.5, 0.5], [0.5, 0.5]]
    )
    state = game.new_initial_state()
    half = {a: (agent(state)[a] + chance.action_probabilities(state)[a]) / 2 for a in state.legal_actions()}
    assert mixed.action_probabilities(state) == pytest.approx(half)


def test_bots_and_lists_of_bots():
    state = pyspiel.load_game("pig").new_initial_state()
    bot = make_bot("random", "pig", seed=1)
    before = bot.clone()
    assert as_policy(bot)(state) == {0: 0.5, 1: 0.5}
    assert [bot.step(state) for _ in range(9)] == [before.step(state) for _ in range(9)], "it was disturbed"
    mixed = as_policy(["random", "star2(depth=2)"], "pig")
    assert mixed(state) == {0: 0.5, 1: 0.5}
    state.apply_action(1)
    assert sorted(mixed(state).values()) == [0.0, 1.0]
    theirs = [pyspiel.make_uniform_random_bot(seat, 1) for seat in (0, 1)]
    assert as_policy(theirs, "pig")(state) == {0: 0.5, 1: 0.5}
    uniform = policy.UniformRandomPolicy(pyspiel.load_game("pig"))
    assert as_policy(uniform) is uniform


def test_what_is_refused_in_words():
    with pytest.raises(UnsupportedGameError, match="register it with register_openspiel"):
        as_policy("star2(depth=1)", "FrozenLake-v1(horizon=20)")
    with pytest.raises(UnsupportedGameError, match="cannot be registered, because its chances are sampled"):
        as_policy("random", "Blackjack-v1(hidden=redraw)")
    with pytest.raises(UnsupportedGameError, match="imperfect information"):
        as_policy("star2", "kuhn_poker")
    for door in (as_policy, as_rl_agent):
        with pytest.raises(UnsupportedGameError, match="simultaneous moves"):
            door("star2", "matrix_pd")
    with pytest.raises(UnsupportedGameError, match="cannot be registered, because its chances are sampled"):
        as_mcts_evaluator("rollout(n=2)", "Blackjack-v1(hidden=redraw)")
    with pytest.raises(StarspielError, match=r"needs the game, too: as_policy\('star2', game\)"):
        as_policy("star2")
    with pytest.raises(StarspielError, match="expected a spec, a bot, or a policy"):
        as_policy(3, "pig")
    with pytest.raises(StarspielError, match="expected one for each seat of pig, which has 2, got 1"):
        as_policy(["random"], "pig")
    asked = as_policy("star2", "backgammon")
    with pytest.raises(StarspielError, match="no player moves at a chance node of backgammon"):
        asked.action_probabilities(pyspiel.load_game("backgammon").new_initial_state())
    with pytest.raises(StarspielError, match="was made for backgammon, but the state is of pig"):
        asked.action_probabilities(pyspiel.load_game("pig").new_initial_state())


class Hog(Pig):
    """Registered by another name than its own, which it inherits."""

    def __init__(self, goal: int = 20) -> None:
        super().__init__(goal=goal, sides=8)


def test_games_are_known_by_the_name_that_they_are_registered_by():
    register_openspiel(Hog, "hog")
    own = Hog(goal=7)
    register_openspiel(own, "short_hog")
    for game, name in (
        ("hog", "hog()"),
        ("hog(goal=9)", "hog(goal=9)"),
        (pyspiel.load_game("hog(goal=8)"), "hog(goal=8)"),
        (load_game("hog(goal=9)"), "hog(goal=9)"),
        (own, "short_hog()"),
    ):
        told = as_policy("star2(depth=1)", game)
        assert str(told.game) == name
        assert sum(told.action_probabilities(told.game.new_initial_state()).values()) == 1.0
    with pytest.raises(UnsupportedGameError, match="register it with register_openspiel"):
        as_policy("star2(depth=1)", Hog(goal=6))
