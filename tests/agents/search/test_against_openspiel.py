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
@pytest.mark.parametrize(
    ("game", "depth", "count", "name"),
    [(*each, ("heuristic", "scrambled")[number % 2]) for number, each in enumerate(CASES)],
)
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
