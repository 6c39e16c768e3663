"""Paranoid search is the two-sided search of the player at the root, by every algorithm, on random trees."""

import random

import pytest
from support.trees import TREES
from support.vector_trees import (
    Guesses,
    KeyedGame,
    ManyGuesses,
    VectorGame,
    choice,
    end,
    paranoid_value,
    start,
    vector_tree,
)

from starspiel.agents.search import Limits, search
from starspiel.envs.errors import EvaluatorError

CLOSE = 1e-9
ALGORITHMS = ("expectiminimax", "star1", "star2")


def check_tree(draw: random.Random, players: int, total: float | None) -> None:
    root = vector_tree(draw, players, total)
    depth = draw.choice((1, 2, 3, 9))
    game = draw.choice((VectorGame, KeyedGame))(root, draw.choice([(-1.0, 1.0), (-2.0, 1.0), None]), total)
    evaluator = draw.choice((Guesses, ManyGuesses))()
    evaluator.by_position = True
    truths = {10 + i: paranoid_value(child, depth - 1, root.player) for i, child in enumerate(root.children)}
    for algorithm in ALGORITHMS:
        for every in (True, False):
            result = search(
                game.new_initial_state(),
                algorithm,
                Limits(depth=depth),
                evaluator,
                opponents="paranoid",
                exact_action_values=every,
                ties="first",
            )
            assert result.value == pytest.approx(max(truths.values()), abs=CLOSE)
            for action, value in result.action_values.items():
                assert value == pytest.approx(truths[action], abs=CLOSE)
            assert not every or set(result.action_values) == set(truths)
            assert truths[result.best_action] == pytest.approx(result.value, abs=CLOSE)
        assert (result.player, result.perspective) == (root.player, root.player)
        assert result.returns is result.action_returns is None
        assert result.principal_variation[0] == (root.player, result.best_action)


@pytest.mark.parametrize(("players", "total"), [(2, None), (3, 0.0), (3, None), (4, 1.0)])
def test_every_algorithm_finds_the_definitions_value(players, total):
    draw = random.Random(players)
    for _ in range(TREES):
        check_tree(draw, players, total)


def test_evaluators_give_vectors_to_paranoid_search_too():
    class Scalar(Guesses):
        def __call__(self, state):
            return 0.5

    state = start(choice(0, choice(1, end(0.0, 0.0, 0.0)), end(0.0, 0.0, 0.0)))
    with pytest.raises(EvaluatorError, match="expected 3 numbers"):
        search(state, "star1", Limits(depth=1), Scalar(), opponents="paranoid")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_in_zero_sum_games_for_two_it_is_the_same_search(algorithm):
    from starspiel.envs.load import load_game

    state = load_game("pig(winscore=20)").new_initial_state().child(0).child(3)
    plain, paranoid = (
        search(state, algorithm, Limits(depth=3), opponents=opponents, engine="python", explain=False)
        for opponents in ("maxn", "paranoid")
    )
    assert plain.action_values == paranoid.action_values
    assert plain.nodes == paranoid.nodes
    assert plain.action_returns == {action: (v, -v) for action, v in plain.action_values.items()}
