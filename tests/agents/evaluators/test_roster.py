"""The one way from anything that may value a state to an Evaluator."""

import numpy as np
import pytest

from starspiel import EvaluatorError, Limits, load_game, make_evaluator, search
from starspiel.agents.evaluators.batch import BatchEvaluator
from starspiel.agents.evaluators.registry import as_evaluator

OTHERS = [
    ("pig(players=2)", lambda: make_evaluator("heuristic", "connect_four")),
    ("tic_tac_toe", lambda: make_evaluator("net", "backgammon")),
    ("maedn(players=2)", lambda: BatchEvaluator(lambda rows: np.zeros(len(rows)), "backgammon")),
    ("connect_four", lambda: BatchEvaluator(lambda rows: np.zeros(len(rows)), "tic_tac_toe")),
]


@pytest.mark.parametrize(("name", "made"), OTHERS)
@pytest.mark.parametrize("engine", ["auto", "python"])
def test_an_evaluator_of_another_game_is_refused_in_words(name, made, engine):
    game = load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node():
        state = state.child(state.chance_outcomes()[0][0])
    with pytest.raises(EvaluatorError, match=f"values .*, not {name.partition('(')[0]}"):
        search(state, "star2", Limits(depth=1), evaluator=made(), engine=engine)


@pytest.mark.parametrize("spec", ["heuristic", "net", "auto"])
def test_one_of_the_same_game_with_other_parameters_is_taken(spec):
    """As the value of a position is the same."""
    made = make_evaluator(spec, "backgammon")
    assert as_evaluator(made, "backgammon(scoring_type=full_scoring)") is made


def test_an_encoder_of_one_s_own_is_for_whatever_it_sees():
    encoder = BatchEvaluator(len, "tic_tac_toe").encoder
    made = BatchEvaluator(len, encoder)
    assert as_evaluator(made, "connect_four") is made


def test_a_network_does_not_value_other_rules_of_its_game():
    """They have other inputs, though the game's short name is the same."""
    net = make_evaluator("net", "royal_game_of_ur")
    state = load_game("royal_game_of_ur(rules=masters)").new_initial_state().child(1)
    with pytest.raises(EvaluatorError, match=r"values royal_game_of_ur, not .*rules=masters"):
        search(state, "star2", Limits(depth=1), evaluator=net)
