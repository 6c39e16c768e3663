"""Limits, sampling and the line of play in searches of games of more than two players."""

import random

import pytest
from support.three import Race, Walks
from support.trees import Node
from support.vector_trees import Guesses, VectorGame, choice, end, paranoid_value, true_vector, vector_tree

from starspiel.agents.bots.auto import choose, usual_search
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.agents.search.sampling import drawn
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game

CLOSE = 1e-9
SAMPLING = ("expss", "star1ss", "star2ss")


def unfolded(state) -> Node:
    """A drawn tree as a tree of its own."""
    player, node = state.current_player(), state.state.node
    if player == CHANCE:
        actions, chances = zip(*state.chance_outcomes(), strict=True)
    else:
        actions, chances = state.legal_actions(), ()
    return Node(player, node.value, tuple(unfolded(state.child(a)) for a in actions), chances)


@pytest.mark.parametrize("opponents", ["maxn", "paranoid"])
def test_sampling_searches_find_the_value_of_the_tree_they_draw(opponents):
    draw = random.Random(opponents)
    for seed in range(30):
        root = vector_tree(draw, 3, 0.0)
        game = VectorGame(root, (-1.0, 1.0), 0.0)
        state, depth = game.new_initial_state(), draw.choice((1, 2, 3, 9))
        tree = unfolded(drawn(state, game, 3, seed))
        below = [
            true_vector(child, depth - 1)[root.player]
            if opponents == "maxn"
            else paranoid_value(child, depth - 1, root.player)
            for child in tree.children
        ]
        for algorithm in SAMPLING:
            limits = Limits(depth=depth)
            found = search(state, algorithm, limits, Guesses(True), seed, width=3, opponents=opponents)
            assert list(found.action_values.values()) == pytest.approx(below, abs=CLOSE)
            assert not found.exact


@pytest.mark.parametrize("opponents", ["maxn", "paranoid"])
@pytest.mark.parametrize("algorithm", ["expectiminimax", "star1", "star2", "star1ss"])
def test_a_node_limit_answers_as_the_depth_it_completed(algorithm, opponents):
    state = load_game("pig(players=3,winscore=12)").new_initial_state().child(0).child(4)
    for nodes in (1, 40, 400):
        options = {"opponents": opponents, "seed": 1}
        result = search(state, algorithm, Limits(nodes=nodes), "zero", **options)
        assert 1 <= result.nodes <= nodes
        assert result.perspective == result.player == 0
        if result.depth:
            straight = search(state, algorithm, Limits(depth=result.depth), "zero", **options)
            assert result.action_values == pytest.approx(straight.action_values, abs=CLOSE)
        else:
            assert result.value == 0.0


def test_the_line_is_every_players_best_play():
    root = choice(
        2,
        choice(0, choice(1, end(0.9, 0.1, 0.0), end(0.1, 0.5, 0.4)), end(0.2, 0.0, 0.8)),
        end(0.3, 0.0, 0.7),
    )
    state = VectorGame(root, (0.0, 1.0), 1.0).new_initial_state()
    result = search(state, "star1", Limits(depth=5))
    assert result.principal_variation == ((2, 10), (0, 11))
    assert result.returns == (0.2, 0.0, 0.8)
    assert "expected return +0.800 for player 2" in str(result)
    assert result.ranked_actions() == [(10, 0.8), (11, 0.7)]


def test_the_soonest_of_equal_moves_is_played():
    later = choice(0, choice(0, end(1.0, 0.0, 0.0), guess=(0.0, 0.0, 0.0)), guess=(0.0, 0.0, 0.0))
    state = VectorGame(choice(0, later, end(1.0, 0.0, 0.0)), (0.0, 1.0)).new_initial_state()
    for limits in (Limits(depth=5), Limits(nodes=50)):
        result = search(state, "star1", limits, "zero")
        assert (result.best_actions, result.best_action) == ((10, 11), 11)
    assert search(state, "star1", Limits(depth=5), "zero", ties="first").best_action == 10


def test_search_bots_play_with_policies_and_values():
    game = Race(6)
    state = game.new_initial_state().child(0).child(0)
    exact = search(state, "expectiminimax", Limits(depth=30))
    assert exact.exact
    for spec in ("star1(depth=30)", "star2(nodes=100000)", "expectiminimax(depth=30)"):
        bot = make_bot(spec, game, player=2, seed=1)
        assert isinstance(bot, SearchBot)
        assert bot.step(state) == exact.best_action
        assert dict(bot.get_policy(state)) == {a: float(a == exact.best_action) for a in (0, 1)}
        assert bot.move_values(state) == pytest.approx(exact.action_values, abs=CLOSE)
    greedy = make_bot("greedy", game, player=2, seed=1)
    assert greedy.step(state) in (0, 1)
    assert choose(game).spec.name == "uct"
    assert usual_search(game) == "uct(simulations=1000)", "nothing is known of it"
    assert usual_search(load_game("pig(players=3)")) == "star1(depth=2)"
    assert usual_search(load_game("pig")) == "star2(depth=2)"


def test_what_has_been_collected_is_every_players_own():
    state = Walks().new_initial_state().child(0)
    result = search(state, "star1", Limits(depth=1), "zero")
    # Player 1 walks two, or tosses: then the position before the dice is valued, with nothing collected.
    assert result.action_returns == {0: (2.0, 2.0, 0.0), 1: (2.0, 0.0, 0.0)}
    paranoid = search(state, "star2", Limits(depth=2), "zero", opponents="paranoid")
    assert paranoid.action_values == {0: 2.0, 1: 2.5}


def test_what_is_not_for_such_games_says_so():
    state = load_game("pig(players=3)").new_initial_state()
    with pytest.raises(UnsupportedGameError, match="the tree of a search takes games for one player"):
        search(state, "star1", Limits(depth=1)).tree()
    with pytest.raises(StarspielError, match="Did you mean 'paranoid'"):
        search(state, "star1", Limits(depth=1), opponents="paranoied")
