"""UCT of more than two players: proven vectors are max^n's, and means are those of who decides."""

import random

import pytest
from support.three import Walks
from support.trees import Node
from support.vector_trees import Guesses, VectorGame, choice, end, true_vector, vector_tree

from starspiel.agents.bots import UCTBot
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import EvaluatorError


@pytest.mark.parametrize(("players", "total"), [(2, None), (3, 0.0), (4, 1.0)])
def test_a_solved_tree_has_the_vectors_of_maxn(players, total):
    draw = random.Random(players)
    proven = 0
    for _ in range(60):
        root = vector_tree(draw, players, total, plies=3)
        game = VectorGame(root, (-1.0, 1.0), total)
        state = game.new_initial_state()
        bot = UCTBot(game, seed=1, simulations=600)
        own = {10 + i: true_vector(child, 99)[root.player] for i, child in enumerate(root.children)}
        found = bot.search(state)
        for action, tried in found.items():
            if tried.proven is not None:
                assert tried.proven == pytest.approx(own[action], abs=1e-9)
                assert bot.move_values(state)[action] == tried.proven
        if len(found) == len(own) and all(tried.proven is not None for tried in found.values()):
            proven += 1
            assert own[bot.step(state)] == pytest.approx(max(own.values()), abs=1e-9)
    assert proven > 30


#: Player 0 is safe with 0.2, or hopes that player 1 takes 0.6 for itself, which leaves 0.4.
HOPE = choice(
    0,
    end(0.2, 0.4, 0.4),
    choice(
        1,
        Node(CHANCE, (0.0,) * 3, (end(0.7, 0.3, 0.0), end(0.1, 0.9, 0.0)), (0.5, 0.5)),
        end(0.0, 0.5, 0.5),
    ),
)


@pytest.mark.parametrize("solved", [True, False])
def test_a_player_is_taken_to_want_the_most_for_itself(solved):
    game = VectorGame(HOPE, (0.0, 1.0), 1.0)
    bot = UCTBot(game, seed=2, simulations=3000, solve=solved, uct_c=1.0)
    state = game.new_initial_state()
    assert bot.step(state) == 11
    assert bot.move_values(state)[11] == pytest.approx(0.4, abs=1e-9 if solved else 0.05)


def test_rewards_on_the_way_count_from_the_root():
    game = Walks()
    state = game.new_initial_state()
    for action in (0, 0, 1):
        state = state.child(action)
    values = UCTBot(game, seed=3, simulations=4000).move_values(state.child(1))
    assert values.keys() == {0, 1}
    # Player 0 has 2 and player 2's toss brought 1; nobody gets past 3 + 4.
    assert all(2.0 <= value <= 7.0 for value in values.values())


def test_an_evaluator_gives_a_vector():
    game = VectorGame(choice(0, choice(1, end(0.0, 0.0, 0.0)), end(0.0, 0.0, 0.0)))
    state = game.new_initial_state()
    assert UCTBot(game, seed=1, simulations=50, evaluator=Guesses()).step(state) in (10, 11)
    scalar = UCTBot(game, seed=1, simulations=50, evaluator=lambda state: 0.5)
    with pytest.raises(EvaluatorError, match=r"returned 0\.5; expected 3 finite numbers, one return"):
        scalar.step(state)
