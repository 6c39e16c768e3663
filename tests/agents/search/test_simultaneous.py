"""Searches of games in which both players move at once: pruned = unpruned = linear programmes."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.joint_trees import JointGame, JointState, joint, joint_tree, joint_trees, joint_value
from support.trees import TREES, bottom, chance, guess, leaf, top

from starspiel import Limits, StarspielError, UnsupportedGameError, load_game, make_bot, search
from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.matrix_game import solve_matrix_game
from starspiel.agents.search.engine import PythonEngine
from starspiel.agents.search.options import Options
from starspiel.agents.search.star import star
from starspiel.envs.base import SIMULTANEOUS
from starspiel.envs.errors import UnknownGameWarning

CLOSE = 1e-9
GUESS = FunctionEvaluator(guess, range=(-1.0, 1.0))
ROCK_PAPER_SCISSORS = joint(
    [leaf(0), leaf(-1), leaf(1)], [leaf(1), leaf(0), leaf(-1)], [leaf(-1), leaf(1), leaf(0)]
)


def found(node, algorithm, depth, bounds=(-1.0, 1.0), **options):
    state = JointGame(node, bounds).new_initial_state()
    return search(state, algorithm, Limits(depth=depth), GUESS, **options)


def check_tree(node, depth, bounds):
    expected = joint_value(node, depth)
    for algorithm in ("expectiminimax", "star1", "star2"):
        result = found(node, algorithm, depth, bounds)
        assert result.value == pytest.approx(expected, abs=CLOSE)
        check_strategies(result)


def check_strategies(result):
    """Each player's policy makes every answer of the other's worth no more than the value to the other."""
    for strategy in result.strategies:
        assert sum(strategy.policy.values()) == pytest.approx(1, abs=1e-12)
        assert min(strategy.policy.values()) >= 0
        mean = sum(p * strategy.action_values[a] for a, p in strategy.policy.items() if p)
        assert mean == pytest.approx(result.value, abs=CLOSE)
        best = (max, min)[strategy.player](strategy.action_values.values())
        assert best == pytest.approx(result.value, abs=CLOSE)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(joint_trees(), st.sampled_from([1, 2, 100]), st.sampled_from([(-1.0, 1.0), (-3.0, 1.5), None]))
def test_pruned_unpruned_and_linear_programmes_agree(node, depth, bounds):
    check_tree(node, depth, bounds)


def test_the_same_of_trees_by_number():
    for seed in range(TREES):
        check_tree(joint_tree(seed), (1, 2, 100)[seed % 3], (-1.0, 1.0))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(joint_trees(), st.floats(-1.2, 1.2), st.sampled_from([0.01, 0.3, 1.0]), st.booleans())
def test_a_window_bounds_what_lies_outside(node, alpha, width, bounded):
    game = JointGame(node, (-1.0, 1.0) if bounded else None)
    engine = PythonEngine(GUESS, game, Limits(depth=100), Options())
    beta = alpha + width
    expected = joint_value(node, 100, lambda matrix: solve_matrix_game(matrix).value)
    value = star(game.new_initial_state(), 100, alpha, beta, engine)
    if value <= alpha + CLOSE:
        assert expected <= value + CLOSE
    elif value >= beta - CLOSE:
        assert expected >= value - CLOSE
    else:
        assert value == pytest.approx(expected, abs=CLOSE)


def test_it_mixes():
    result = found(ROCK_PAPER_SCISSORS, "star2", 1)
    assert result.player == SIMULTANEOUS
    assert result.exact
    assert result.policies[0] == pytest.approx({10: 1 / 3, 11: 1 / 3, 12: 1 / 3})
    assert result.policies[1] == pytest.approx({20: 1 / 3, 21: 1 / 3, 22: 1 / 3})
    assert "player 1" in str(result)
    assert "33.33 %" in str(result)


def test_joint_moves_below_a_decision_and_chance():
    node = top(leaf(-0.5), chance((0.5, ROCK_PAPER_SCISSORS), (0.5, bottom(leaf(0.5), leaf(0.25)))))
    for algorithm in ("expectiminimax", "star1", "star2"):
        result = found(node, algorithm, 3)
        assert result.value == pytest.approx(0.125, abs=1e-12)
        assert result.best_action == 11
        assert result.strategies == ()


def test_bounds_save_work():
    state = load_game("markov_soccer").new_initial_state().child(0)
    full, pruned = (search(state, algorithm, Limits(depth=2)) for algorithm in ("expectiminimax", "star1"))
    assert pruned.nodes < full.nodes / 3
    assert pruned.statistics.decision_cutoffs > 0


def test_without_exact_values_the_answer_stays_and_costs_less():
    state = load_game("oshi_zumo(coins=12,size=2)").new_initial_state()
    everything, played = (
        search(state, "star1", Limits(depth=2), "zero", exact_action_values=wanted)
        for wanted in (True, False)
    )
    assert played.value == pytest.approx(everything.value, abs=1e-12)
    assert played.policies[0] == pytest.approx(everything.policies[0], abs=1e-9)
    assert played.nodes < everything.nodes
    assert everything.action_values.keys() == everything.policies[0].keys()


@pytest.mark.parametrize("algorithm", ["expectiminimax", "star2"])
@pytest.mark.parametrize("depth", [1, 2])
def test_a_bot_that_sees_no_difference_plays_any_move(algorithm, depth):
    state = load_game("oshi_zumo(coins=12,size=2)").new_initial_state()
    bot = make_bot(f"{algorithm}(depth={depth})", state.get_game(), seed=1)
    with pytest.warns(UnknownGameWarning, match="all moves look alike"):
        played = {bot.step(state) for _ in range(60)}
    assert played == set(state.legal_actions(0))
    first = make_bot(f"{algorithm}(depth={depth},ties=first)", state.get_game(), seed=1)
    with pytest.warns(UnknownGameWarning):
        assert {first.step(state) for _ in range(10)} == {0}


def test_a_limit_answers_with_the_deepest_iteration():
    state = load_game("markov_soccer").new_initial_state().child(0)
    result = search(state, "star2", Limits(nodes=3000))
    assert result.depth >= 2
    assert result.nodes <= 3000
    short = search(state, "star2", Limits(nodes=1))
    assert short.depth == 0
    assert short.policies[0] == pytest.approx(dict.fromkeys(range(5), 0.2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "star2ss"}, "use star2"),
        ({"opponent": "uniform"}, "opponents are not modelled"),
        ({"engine": "native"}, "only the Python engine"),
    ],
)
def test_what_is_not_done_is_refused(options, message):
    state = JointState(JointGame(ROCK_PAPER_SCISSORS), ROCK_PAPER_SCISSORS)
    with pytest.raises(UnsupportedGameError, match=message):
        search(state, **options)


def test_more_players_are_refused():
    game = JointGame(ROCK_PAPER_SCISSORS)
    game.num_players = 3
    with pytest.raises(UnsupportedGameError, match="no strategy is best whatever the others do"):
        search(game.new_initial_state())


def test_infinite_returns_are_refused():
    with pytest.raises(StarspielError, match="finite"):
        found(joint([leaf(math.inf), leaf(0.0)]), "star1", 1, None)
