"""Star1 and Star2 find what the definition says, on any tree, in any window and against any model."""

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from support.trees import (
    Guess,
    Node,
    TreeGame,
    TreeState,
    bottom,
    chance,
    decision_trees,
    guess,
    leaf,
    skewed,
    top,
    tree_depth,
    trees,
)

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.opponents import Opponent
from starspiel.agents.search import Limits, search
from starspiel.agents.search.context import SearchContext
from starspiel.agents.search.options import Options
from starspiel.agents.search.star import star
from starspiel.envs.base import CHANCE, TERMINAL

CLOSE = 1e-9
#: Any depth, and one that reaches every leaf.
DEPTHS = st.sampled_from([1, 2, 3, 4, 100])
#: Sound bounds: as tight as the values, wider on either side, far wider, none.
BOUNDS = st.sampled_from([(-1.0, 1.0), (-1.0, 1.0), (-1.5, 1.0), (-1.0, 4.0), (-30.0, 20.0), None])
#: (alpha, beta): windows of any place and width, some of them open.
WINDOWS = st.tuples(st.floats(-1.2, 1.2), st.sampled_from([0.01, 0.3, 1.0, math.inf])).map(
    lambda w: (-math.inf, math.inf) if w[1] == math.inf else (w[0], w[0] + w[1])
)
OPPONENTS = [
    None,
    Opponent("uniform"),
    Opponent("skewed", policy=skewed),
]


def plain_value(node, depth, opponent=None):
    """Player 0's value, by the definition and nothing else."""
    if node.player == TERMINAL or depth == 0:
        return node.value
    below = depth - (node.player != CHANCE)
    values = [plain_value(child, below, opponent) for child in node.children]
    if node.player == CHANCE:
        return sum(p * value for p, value in zip(node.chances, values, strict=True))
    best = max(values) if node.player == 0 else min(values)
    if opponent is None or node.player != opponent.player:
        return best
    state = TreeState(TreeGame(node), node)
    given = skewed(state) if opponent.policy else dict.fromkeys(state.legal_actions(), 1 / len(values))
    return sum(p * value for p, value in zip(given.values(), values, strict=True))


def context_of(
    bounds: tuple[float, float] | None, probes: int = 1, evaluator: Any = guess, limits: Limits | None = None
) -> SearchContext:
    in_unit = FunctionEvaluator(evaluator, range=(-1.0, 1.0))
    game = SimpleNamespace(name="tree", utility_range=bounds, step_rewards=False)
    return SearchContext(in_unit, game, limits or Limits(depth=1), Options(probes=probes))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees(), DEPTHS, BOUNDS, st.sampled_from(OPPONENTS), st.integers(0, 1), st.integers(0, 3), WINDOWS)
def test_values_are_fail_soft_in_every_window(node, depth, bounds, opponent, modelled, probes, window):
    """Against every model of a player."""
    alpha, beta = window
    assume(alpha < beta)
    game = SimpleNamespace(name="tree", utility_range=bounds, step_rewards=False)
    played = opponent and replace(opponent, player=modelled)
    context = SearchContext(Guess(), game, Limits(depth=1), Options(probes=probes), opponent=played)
    truth = plain_value(node, depth, played)
    found = star(TreeState(TreeGame(node, bounds), node), depth, alpha, beta, context)
    upper_bound = found <= alpha + CLOSE and truth <= found + CLOSE
    lower_bound = found >= beta - CLOSE and truth >= found - CLOSE
    assert upper_bound or lower_bound or found == pytest.approx(truth, abs=CLOSE)
    assert context.nodes == context.interior + context.terminals + context.evaluations


@settings(max_examples=60, deadline=None)
@given(decision_trees(), DEPTHS, BOUNDS, st.sampled_from(OPPONENTS), st.integers(1, 3))
@example(top(bottom(leaf(-1.0)), leaf(-1.0)), 2, (-1.0, 1.0), None, 1)
@example(bottom(leaf(0.25), chance((1.0, leaf(0.25))), leaf(0.25)), 1, (-1.0, 1.0), None, 1)
def test_every_root_action_gets_its_value_and_ties_are_all_best(node, depth, bounds, opponent, probes):
    state = TreeGame(node, bounds).new_initial_state()
    played = opponent and replace(opponent, player=1 - node.player)
    truths = {10 + i: plain_value(each, depth - 1, played) for i, each in enumerate(node.children)}
    best = (max if node.player == 0 else min)(truths.values())
    asked = {"opponent": opponent or "optimal", "probes": probes}
    limits = Limits(depth=depth)
    nodes = []
    for algorithm in ("expectiminimax", "star1", "star2"):
        result = search(state, algorithm, limits, Guess(), **asked)
        assert result.action_values == pytest.approx(truths, abs=CLOSE)
        assert result.value == pytest.approx(best, abs=CLOSE)
        assert opponent is None or any(opponent.name in note for note in result.notes)
        # A tie is exact or wide enough not to depend on the order in which a mean is summed.
        near = {action for action, value in truths.items() if abs(value - best) <= CLOSE / 2}
        assert near <= set(result.best_actions)
        assert all(abs(truths[action] - best) <= 2 * CLOSE for action in result.best_actions)
        assert result.best_action == result.soonest_actions[0]
        assert set(result.soonest_actions) <= set(result.best_actions)
        # Pruning may end before the horizon what the whole tree does not.
        assert result.exact or depth < tree_depth(node)
        if result.exact:
            assert result.value == pytest.approx(plain_value(node, 100, played), abs=CLOSE)

        pruned = search(state, algorithm, limits, Guess(), exact_action_values=False, **asked)
        assert pruned.value == pytest.approx(best, abs=CLOSE)
        assert pruned.best_actions == result.best_actions
        for action, value in pruned.action_values.items():
            assert value == pytest.approx(truths[action], abs=CLOSE)
        nodes.append(search(state, algorithm, limits, Guess(), explain=False, ties="first", **asked).nodes)
    assert nodes[1] <= nodes[0], "Star1 never visits a state twice"


def wide(outcomes: int, moves: int, player: int, value: Any) -> Node:
    """A chance node with equal chances over successors of one player, who has `moves` moves each."""
    successor = top if player == 0 else bottom
    return chance(
        *((1 / outcomes, successor(*(leaf(value(i, j)) for j in range(moves)))) for i in range(outcomes))
    )


def cost(node: Node, probes: int, alpha: float, beta: float) -> SearchContext:
    context = context_of((-1.0, 1.0), probes)
    star(TreeState(TreeGame(node), node), 9, alpha, beta, context)
    return context


@pytest.mark.parametrize("player", [0, 1])
def test_star1_stops_at_the_outcome_that_settles_the_window(player):
    """Ten outcomes worth +-0.9: after eight of them the mean is past 0.5, whatever the last two are worth."""
    sign = 1 if player == 0 else -1
    node = wide(10, 3, player, lambda i, j: sign * 0.9)
    window = (0.5, math.inf) if sign < 0 else (-math.inf, 0.5)
    alpha, beta = (-0.5, math.inf) if sign < 0 else window
    context = cost(node, 0, alpha, beta)
    assert context.chance_cutoffs == 1
    # 0.9 k/10 - (10 - k)/10 >= 0.5 from k = 8 on; an outcome has four nodes at most.
    assert 1 + 8 <= context.nodes < 1 + 8 * 4 + 1
    assert cost(node, 0, -math.inf, math.inf).nodes == 1 + 10 * 4


@pytest.mark.parametrize("player", [0, 1])
def test_star2_probes_one_move_of_each_outcome_and_searches_none(player):
    """If the first move is good, one move an outcome is enough: Ballard's order-of-magnitude case."""
    sign = 1 if player == 0 else -1
    node = wide(10, 20, player, lambda i, j: sign * (0.9 if j == 0 else -0.9))
    alpha, beta = (-math.inf, 0.5) if player == 0 else (-0.5, math.inf)
    context = cost(node, 1, alpha, beta)
    assert (context.probes, context.probes_won, context.chance_cutoffs) == (8, 1, 1)
    assert context.nodes == 1 + 8
    # A probe may look at the second move: if it alone is good, probing one move wins nothing.
    late = wide(10, 20, player, lambda i, j: sign * (0.9 if j == 1 else -0.9))
    assert cost(late, 1, alpha, beta).probes_won == 0
    assert cost(late, 2, alpha, beta).probes_won == 1


def test_a_bound_a_hair_above_the_window_is_not_taken_for_a_value():
    """Cut-offs forgive 1e-12, so an upper bound may lie that far inside the root's window."""
    hair = 1e-13
    second = chance((0.5, leaf(-1 - 4e-9 + 2 * hair)), (0.5, leaf(-1.0)))
    state = TreeGame(top(leaf(0.0), second), (-2.0, 1.0)).new_initial_state()
    result = search(state, "star1", Limits(depth=3), exact_action_values=False)
    assert result.action_values == {10: 0.0}


def test_without_sound_bounds_chance_nodes_are_not_pruned_and_the_result_says_so():
    node = top(wide(6, 3, 1, lambda i, j: 0.9), wide(6, 3, 1, lambda i, j: -0.9))
    unbounded = search(TreeGame(node, None).new_initial_state(), "star2", exact_action_values=False)
    assert unbounded.statistics.chance_cutoffs == 0
    assert any("no sound bounds" in note for note in unbounded.notes)
    bounded = search(TreeGame(node).new_initial_state(), "star2", exact_action_values=False)
    assert bounded.statistics.chance_cutoffs > 0
    assert bounded.notes == ()
    assert unbounded.action_values[10] == bounded.action_values[10] == pytest.approx(0.9)
