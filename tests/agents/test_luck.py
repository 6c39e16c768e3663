"""Luck by vectors of values: of mean zero for every player, and what separates a result from its value."""

import random

import pytest
from support.vector_trees import start, true_vector, vector_tree

from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.luck import luck_of
from starspiel.envs.base import CHANCE, possible_outcomes
from starspiel.envs.errors import EvaluatorError
from starspiel.envs.load import load_game


class Exact:
    """What max^n play to the end is worth to everybody."""

    name, range = "exact", None

    def __call__(self, state):
        return true_vector(state.node, 99)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_results_of_best_play_less_their_luck_are_its_value(players):
    """By exact values, whatever the dice, in random trees of general and of constant sum."""
    thrown = 0
    for seed in range(60):
        draw = random.Random(seed)
        root = start(vector_tree(draw, players, draw.choice((None, 0.5))), None, None)
        state, actions = root, []
        while not state.is_terminal():
            if state.current_player() == CHANCE:
                outcomes, chances = zip(*possible_outcomes(state), strict=True)
                action = draw.choices(outcomes, chances)[0]
                thrown += 1
            else:
                best = true_vector(state.node, 99)
                action = next(
                    each for each in state.legal_actions() if true_vector(state.child(each).node, 99) == best
                )
            actions.append(action)
            state = state.child(action)
        lucks = luck_of(root.get_game(), root, actions, Exact())
        adjusted = [paid - luck for paid, luck in zip(state.returns(), lucks, strict=True)]
        assert adjusted == pytest.approx(true_vector(root.node, 99), abs=1e-9)
    assert thrown > 20


@pytest.mark.parametrize("spec", ["pig(players=3)", "maedn(players=4)"])
def test_luck_is_fair_to_everybody_at_every_throw(spec):
    """Weighed by their chances, what the outcomes give sums to nothing; so do the players' shares."""
    game, draw = load_game(spec), random.Random(2)
    evaluator = make_evaluator("heuristic", game)
    state, looked = game.new_initial_state(), 0
    while looked < 2:
        if state.current_player() != CHANCE:
            state = state.child(draw.choice(state.legal_actions()))
            continue
        outcomes = possible_outcomes(state)
        if len(outcomes) < 40:
            lucks = [luck_of(game, state, [outcome], evaluator) for outcome, _ in outcomes]
            for own in zip(*lucks, strict=True):
                mean = sum(p * luck for (_, p), luck in zip(outcomes, own, strict=True))
                assert mean == pytest.approx(0, abs=1e-9)
            assert all(sum(each) == pytest.approx(0, abs=1e-9) for each in lucks)
            looked += 1
        state = state.child(draw.choice(outcomes)[0])


def test_what_is_no_vector_is_refused_in_words():
    game = load_game("pig(players=3)")
    state = game.new_initial_state().child(0)
    with pytest.raises(
        EvaluatorError, match=r"scalar returned something else than 3 finite numbers, one per player, in"
    ):
        luck_of(game, state, [3], Scalar())


class Scalar:
    name, range = "scalar", None

    def __call__(self, state):
        return 0.5
