"""The values are those of OpenSpiel's own searches, position by position."""

from typing import Any

import pyspiel
import pytest
from open_spiel.python.algorithms import minimax
from support.positions import random_positions, scrambled

from starspiel.agents.evaluators import FunctionEvaluator, make_evaluator
from starspiel.agents.evaluators.heuristic import has_heuristic
from starspiel.agents.search import Limits, search
from starspiel.envs.load import load_game

ALGORITHMS = ("expectiminimax", "star1", "star2")
CLOSE = 1e-9

#: (game, depth, positions)
CASES = [
    ("pig", 1, 40),
    ("pig", 3, 20),
    ("pig", 4, 10),
    ("pig(winscore=20,piglet=True,diceoutcomes=2)", 5, 20),
    ("backgammon", 1, 30),
    ("backgammon", 2, 1),
    ("backgammon(scoring_type=full_scoring)", 1, 20),
    ("einstein_wurfelt_nicht", 1, 30),
    ("einstein_wurfelt_nicht", 2, 20),
    ("einstein_wurfelt_nicht", 3, 12),
    ("maedn(players=2)", 1, 20),
    ("maedn(players=2)", 2, 20),
    ("maedn(players=2)", 3, 20),
    ("maedn(players=2,twoPlayersOpposite=False)", 2, 20),
    ("banqi", 1, 30),
    ("banqi", 2, 3),
    ("yacht(players=2)", 1, 20),
    ("yacht(players=2,num_dice=2)", 2, 10),
    ("yacht(players=1)", 1, 10),
    ("2048", 1, 30),
    ("2048", 2, 15),
    ("catch", 3, 20),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heuristic", "scrambled"])
@pytest.mark.parametrize(("game", "depth", "count"), CASES)
def test_values_are_those_of_openspiels_expectiminimax(game, depth, count, name):
    played = load_game(game)
    evaluator: Any = scrambled
    if name == "heuristic":  # not "auto", a network for some, which is slow here
        evaluator = make_evaluator("heuristic" if has_heuristic(played) else "zero", played)
    elif played.step_rewards:
        evaluator = FunctionEvaluator(lambda state: state.returns()[0] + 9 * scrambled(state))
    for state in random_positions(played.pyspiel_game, count, seed=depth):
        _check_against_openspiel(state, depth, evaluator)


def _check_against_openspiel(state: pyspiel.State, depth: int, evaluator: Any) -> None:
    theirs = {
        action: minimax.expectiminimax(state.child(action), depth - 1, evaluator, 0)[0]
        for action in state.legal_actions()
    }
    best = max(theirs.values()) if state.current_player() == 0 else min(theirs.values())
    before = state.serialize()
    for algorithm in ALGORITHMS:
        result = search(state, algorithm, Limits(depth=depth), evaluator, engine="python", explain=False)
        assert result.action_values == pytest.approx(theirs, abs=CLOSE)
        assert result.value == pytest.approx(best, abs=CLOSE)
        assert result.depth == depth
        pruned = search(
            state,
            algorithm,
            Limits(depth=depth),
            evaluator,
            engine="python",
            explain=False,
            exact_action_values=False,
        )
        assert pruned.value == pytest.approx(best, abs=CLOSE)
        assert pruned.best_actions == result.best_actions
    assert state.serialize() == before


@pytest.mark.parametrize(
    ("game", "depth", "count"),
    [
        ("tic_tac_toe", 9, 1),
        ("tic_tac_toe", 3, 20),
        ("connect_four(rows=4,columns=4,x_in_row=3)", 5, 25),
        ("connect_four", 3, 10),
        ("breakthrough(rows=5,columns=4)", 3, 20),
        ("othello", 2, 10),
        ("nim", 3, 10),
    ],
)
def test_deterministic_games_are_alpha_beta(game, depth, count):
    played = load_game(game)
    for state in random_positions(played.pyspiel_game, count, seed=1):
        theirs, _ = minimax.alpha_beta_search(
            state.get_game(),
            state,
            value_function=scrambled,
            maximum_depth=depth,
            maximizing_player_id=0,
        )
        full = search(state, "expectiminimax", Limits(depth=depth), scrambled, engine="python", explain=False)
        assert full.value == pytest.approx(theirs, abs=CLOSE)
        for algorithm in ("star1", "star2"):
            found = search(
                state,
                algorithm,
                Limits(depth=depth),
                scrambled,
                engine="python",
                explain=False,
                exact_action_values=False,
            )
            assert found.value == pytest.approx(theirs, abs=CLOSE)
            assert found.best_actions == full.best_actions
            assert found.nodes <= full.nodes


def test_tic_tac_toe_is_a_draw_and_alpha_beta_finds_it_in_a_fraction_of_the_tree():
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for action in (4, 0):
        state.apply_action(action)
    visited: dict[str, int] = {}
    for algorithm in ALGORITHMS:
        result = search(
            state,
            algorithm,
            Limits(depth=9),
            engine="python",
            explain=False,
            exact_action_values=False,
            ties="first",  # to break ties takes nodes of its own
        )
        assert (result.value, result.exact) == (0.0, True)
        visited[algorithm] = result.nodes
    assert visited["star1"] == visited["star2"] < visited["expectiminimax"] / 5


@pytest.mark.parametrize(
    ("moves", "wins"),
    [
        ([], 4 / 7),
        ([0, 1], 5 / 7),
        ([1, 0, 1, 1], 2 / 5),
        ([1, 0, 1, 1, 0, 1], 3 / 5),
        ([0, 1, 1, 1], 4 / 5),
        ([0, 1, 1, 0, 1, 1], 2 / 3),
    ],
)
def test_deepening_closes_in_on_the_published_values_of_piglet(moves, wins):
    """Piglet to 2 points (Neller & Presser): the horizon is worth 0, and what depends on it shrinks."""
    state = pyspiel.load_game("pig(winscore=2,diceoutcomes=2,piglet=True)").new_initial_state()
    for action in moves:
        state.apply_action(action)
    assert state.current_player() == 0
    errors = [
        abs(
            (search(state, "star2", Limits(depth=depth), "zero", engine="python", explain=False).value + 1)
            / 2
            - wins
        )
        for depth in (2, 5, 9)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.05
