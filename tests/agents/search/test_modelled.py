"""Searches against a modelled opponent: plain expectiminimax with the opponent's nodes as chance nodes."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.trees import (
    Node,
    TreeGame,
    bottom,
    chance,
    decision_trees,
    leaf,
    skewed,
    top,
    true_value,
)

from starspiel.agents.opponents import Opponent
from starspiel.agents.search import Limits, search
from starspiel.envs.base import CHANCE
from starspiel.envs.load import load_game

CLOSE = 1e-9


def as_chance(node, modelled):
    """The tree with the modelled player's nodes as chance nodes."""
    children = tuple(as_chance(child, modelled) for child in node.children)
    if node.player != modelled:
        return Node(node.player, node.value, children, node.chances)
    return Node(CHANCE, node.value, children, (1 / len(children),) * len(children))


@settings(max_examples=50, deadline=None)
@given(decision_trees(), st.sampled_from(["expectiminimax", "star1", "star2"]))
def test_to_the_end_a_uniform_opponent_is_a_chance_node(node, algorithm):
    transformed = as_chance(node, 1 - node.player)
    assume(transformed.player == node.player)
    found = search(TreeGame(node).new_initial_state(), algorithm, Limits(depth=100), opponent="uniform")
    assert found.value == pytest.approx(true_value(transformed, 100), abs=CLOSE)


def test_bounds_cut_at_modelled_nodes():
    """After a reply of -1 a uniform opponent of two moves is not worth more than 0; the other is not seen."""
    node = top(leaf(0.5), bottom(leaf(-1.0), top(leaf(1.0), leaf(0.9))))
    state = TreeGame(node).new_initial_state()
    full, cut = (
        search(state, name, Limits(depth=3), opponent="uniform", exact_action_values=False)
        for name in ("expectiminimax", "star1")
    )
    assert (full.nodes, cut.nodes) == (7, 4)
    assert full.value == cut.value == 0.5


def test_the_line_takes_the_likeliest_reply_and_the_tree_shows_the_chances():
    node = top(leaf(-0.9), chance((1.0, bottom(top(leaf(0.2)), top(leaf(-0.4)), top(leaf(0.3))))))
    state = TreeGame(node).new_initial_state()
    result = search(state, "star2", Limits(depth=3), opponent=Opponent("skewed", policy=skewed))
    assert [action for _, action in result.principal_variation] == [11, 10, 10, 10]
    tree = result.tree()
    modelled = tree.root.children[1].children[0]
    assert modelled.kind == "chance"
    assert [child.chance for child in modelled.children] == pytest.approx([2 / 3, 1 / 3])
    assert tree.root.value == pytest.approx(0.0)
    uniform = search(state, "star2", Limits(depth=3), opponent="uniform")
    assert [action for _, action in uniform.principal_variation] == [11, 10, 11, 10]  # its best of equal ones


def test_sampled_searches_know_the_model():
    game = load_game("pig(players=2,winscore=20)")
    state = game.new_initial_state()
    for opponent in ("uniform", "greedy"):
        values = {
            name: search(state, name, Limits(depth=4), seed=1, width=3, opponent=opponent).value
            for name in ("expss", "star1ss", "star2ss")
        }
        assert values["star1ss"] == pytest.approx(values["expss"], abs=CLOSE)
        assert values["star2ss"] == pytest.approx(values["expss"], abs=CLOSE)
    later = state.child(0).child(3).child(1)  # the other player's turn comes first
    plain, modelled = (
        search(later.child(0).child(2), "expss", Limits(depth=4), seed=1, width=3, opponent=o).value
        for o in ("optimal", "uniform")
    )
    assert plain != modelled
