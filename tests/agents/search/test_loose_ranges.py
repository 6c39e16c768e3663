"""Bounds far from the values, and values far from 1: what a search finds does not depend on them."""

import math
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.trees import Node, TreeGame, bottom, chance, decision_trees, guess, leaf, top, true_value
from support.vector_trees import Guesses, choice, end, start

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.search import Limits, search
from starspiel.agents.search.context import WIDEST
from starspiel.envs.base import TERMINAL
from starspiel.envs.errors import StarspielError

WIDTHS = st.one_of(st.floats(0, 300).map(lambda power: 10.0**power), st.just(sys.float_info.max))
ALGORITHMS = st.sampled_from([("star1", 1), ("star2", 1), ("star2", 2)])


def scaled(node: Node, factor: float) -> Node:
    children = tuple(scaled(child, factor) for child in node.children)
    return Node(node.player, node.value * factor, children, node.chances)


def check(node, game, evaluator, depth, algorithm, probes, tolerance):
    state = game.new_initial_state()
    truths = {10 + i: true_value(child, depth - 1) for i, child in enumerate(node.children)}
    best = max(truths.values()) if node.player == 0 else min(truths.values())
    full = search(state, "expectiminimax", Limits(depth=depth), evaluator, explain=False)
    for exact_action_values in (True, False):
        result = search(
            state,
            algorithm,
            Limits(depth=depth),
            evaluator,
            probes=probes,
            exact_action_values=exact_action_values,
            explain=False,
        )
        for action, value in result.action_values.items():
            assert value == pytest.approx(truths[action], abs=tolerance)
        assert result.value == pytest.approx(best, abs=tolerance)
        assert result.best_actions == full.best_actions
        assert not exact_action_values or result.action_values.keys() == truths.keys()


@settings(max_examples=40, deadline=None)
@given(decision_trees(), st.sampled_from([1, 2, 3, 100]), ALGORITHMS, WIDTHS, st.booleans(), st.booleans())
@example(top(chance((0.5, leaf(0.25)), (0.5, leaf(0.5))), leaf(0.0)), 2, ("star1", 1), 1e18, True, False)
@example(bottom(leaf(1.0), leaf(0.5)), 1, ("star2", 1), sys.float_info.max, True, True)
def test_a_loose_range_leaves_no_trace_in_the_values(node, depth, algorithm, width, of_evaluator, of_game):
    """Values in [-1, 1], whose range is given as (-width, width)."""
    loose, unit = (-width, width), (-1.0, 1.0)
    game = TreeGame(node, loose if of_game else unit)
    evaluator = FunctionEvaluator(guess, range=loose if of_evaluator else unit)
    check(node, game, evaluator, depth, *algorithm, tolerance=1e-12)


@settings(max_examples=40, deadline=None)
@given(decision_trees(), st.sampled_from([1, 2, 100]), ALGORITHMS, st.integers(0, 200))
def test_values_of_any_size_are_found_with_their_ties(node, depth, algorithm, power):
    """All utilities times 10^power: the same best actions, and values to relative precision."""
    factor = 10.0**power
    large = scaled(node, factor)
    evaluator = FunctionEvaluator(guess, range=(-factor, factor))
    check(large, TreeGame(large, (-factor, factor)), evaluator, depth, *algorithm, tolerance=1e-12 * factor)
    if near_tie(node, depth):
        return
    limits = Limits(depth=depth)
    small = search(TreeGame(node).new_initial_state(), "star2", limits, guess, explain=False)
    found = search(TreeGame(large, (-factor, factor)).new_initial_state(), "star2", limits, evaluator)
    assert found.best_actions == small.best_actions


def near_tie(node: Node, depth: int) -> bool:
    """Whether two actions differ by about the tolerance, so that rounding decides."""
    values = [true_value(child, depth - 1) for child in node.children]
    return any(1e-13 < abs(a - b) < 1e-6 for a in values for b in values)


@pytest.mark.parametrize("size", [1e7, 1e9, 1e15])
def test_sums_that_are_equal_on_paper_are_ties_at_large_utilities(size):
    """A tenth ten times is not 1: the error grows with the utilities, and so does what is forgiven."""
    tenths = chance(*((0.1, leaf(size)) for _ in range(10)))
    nothing = chance((0.3, leaf(size)), (0.3, leaf(size)), (0.3, leaf(-size)), (0.1, leaf(-3 * size)))
    for node, best in ((top(tenths, leaf(size)), 2), (bottom(nothing, leaf(0.0), leaf(size)), 2)):
        state = TreeGame(node, (-3 * size, 3 * size)).new_initial_state()
        for algorithm in ("expectiminimax", "star1", "star2"):
            assert len(search(state, algorithm, Limits(depth=3)).best_actions) == best
    apart = top(leaf(size), leaf(size * (1 - 1e-8)))
    state = TreeGame(apart, (-3 * size, 3 * size)).new_initial_state()
    assert search(state, "star2", Limits(depth=3)).best_actions == (10,)


def test_bounds_too_wide_to_prune_with_are_not_used_and_the_result_says_so():
    def sure(value):
        return chance(*((1 / 6, bottom(*(leaf(value) for _ in range(3)))) for _ in range(6)))

    node = top(sure(0.9), sure(-0.9))
    limits = Limits(depth=9)
    for width, wide in (
        (1.0, False),
        (WIDEST, False),
        (math.nextafter(WIDEST, math.inf), True),
        (1e300, True),
    ):
        state = TreeGame(node, (-width, width)).new_initial_state()
        for evaluator in (None, FunctionEvaluator(guess, range=(-1.0, 1.0))):
            result = search(state, "star2", limits, evaluator)
            assert any("too wide to prune with" in note for note in result.notes) is wide
            assert not wide or result.statistics.probes == result.statistics.chance_cutoffs == 0
            assert result.value == pytest.approx(0.9, abs=1e-12)
        loose = FunctionEvaluator(guess, range=(-width, width))
        result = search(TreeGame(node).new_initial_state(), "star1", limits, loose)
        assert any("too wide to prune with" in note for note in result.notes) is wide
        full = search(TreeGame(node).new_initial_state(), "expectiminimax", limits, loose)
        assert full.notes == ()
        assert result.value == full.value


class KeyedTree(TreeGame):
    """Equal nodes are equal positions, so that the Python engine has a table."""

    def key(self, state):
        return state.node


@settings(max_examples=40, deadline=None)
@given(
    decision_trees(), st.sampled_from([2, 3, 100]), ALGORITHMS, st.sampled_from([1.0, 1e4, 4e6, 1e7, 1e18])
)
def test_what_the_table_keeps_is_the_value_too(node, depth, algorithm, width):
    """Bounds and utilities of one size and ten million times it; the later iterations ask the table."""
    name, probes = algorithm
    for factor, wide in ((1.0, width), (width, width)):
        tree = scaled(node, factor)
        game = KeyedTree(tree, (-wide, wide))
        evaluator = FunctionEvaluator(guess, "guess", (-wide, wide), by_position=True)
        result = search(
            game.new_initial_state(), name, Limits(depth=depth, nodes=10**6), evaluator, probes=probes
        )
        truths = {10 + i: true_value(child, result.depth - 1) for i, child in enumerate(tree.children)}
        assert result.action_values == pytest.approx(truths, rel=1e-12, abs=1e-11 * factor)


def test_impossible_outcomes_are_not_visited():
    """If their value would be infinite, or nothing at all."""

    def poisoned(state):
        assert state.node.value < 5, "an impossible state was valued"
        return state.node.value

    good = top(leaf(0.5), leaf(0.25), guess=0.25)
    dice = chance((0.0, Node(TERMINAL, math.nan)), (1.0, good), (0.0, top(leaf(9.0), guess=9.0)), guess=0.25)
    node = top(dice, leaf(0.1))
    state = TreeGame(node).new_initial_state()
    for depth, value in ((1, 0.25), (2, 0.5)):
        for algorithm in ("expectiminimax", "star1", "star2", "expss", "star1ss", "star2ss"):
            result = search(state, algorithm, Limits(depth=depth), poisoned, seed=1)
            assert result.value == value
            assert (-1, 10) not in result.principal_variation
    counted = search(state, "expectiminimax", Limits(depth=2), poisoned, explain=False)
    assert counted.nodes == 6


@pytest.mark.parametrize("algorithm", ["expectiminimax", "star1", "star2"])
def test_a_return_outside_the_range_that_a_game_declares_is_refused(algorithm):
    """Pruned by it, the search would find other values than those of the game."""
    node = top(chance((0.5, bottom(leaf(-3.0))), (0.5, bottom(leaf(0.5)))), leaf(-0.9))
    state = TreeGame(node).new_initial_state()
    with pytest.raises(StarspielError, match=r"a return of -3 outside \[-1, 1\]"):
        search(state, algorithm, Limits(depth=3), FunctionEvaluator(guess, range=(-1.0, 1.0)))


@pytest.mark.parametrize(
    ("vectors", "what"), [(((0.5, 0.5), (0.0, 1.5)), "outside"), (((0.5, 0.5), (1.0, 1.0)), "sum exceeds 1")]
)
def test_returns_of_several_players_are_held_to_range_and_sum(vectors, what):
    state = start(choice(0, *(end(*vector) for vector in vectors)), (-1.0, 1.0), 1.0)
    with pytest.raises(StarspielError, match=what):
        search(state, "star1", Limits(depth=2), Guesses(constant_sum=True))
