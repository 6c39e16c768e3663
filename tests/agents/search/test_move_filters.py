"""Move filters: the value is that of the moves they keep, whatever prunes, and results say so."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.trees import Guess, TreeGame, TreeState, decision_trees, leaf, top, trees

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.agents.search.context import SearchContext
from starspiel.agents.search.move_filters import FILTERS, Filter, MoveFilters, as_filters
from starspiel.agents.search.options import Options
from starspiel.agents.search.star import star
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.errors import SpecError, UnsupportedGameError
from starspiel.envs.load import load_game

CLOSE = 1e-9
ONE_FILTER = st.builds(Filter, st.integers(1, 3), st.sampled_from([0.0, 0.1, 0.5, 2.0, math.inf]))
SOME_FILTERS = st.builds(MoveFilters, ONE_FILTER, ONE_FILTER, st.none() | ONE_FILTER)
ALL = MoveFilters(Filter(1000, math.inf), Filter(1000, math.inf))


class Small(FunctionEvaluator):
    """Likes what the evaluator likes least, and leaves some positions to their moves."""

    def __init__(self):
        super().__init__(lambda state: -state.node.value, "small")

    def sees(self, state):
        return sees(state.node)


class Paired(Guess):
    small = Small()


def sees(node):
    return node.value > -0.3


def kept(player, nodes, keeps, worth):
    """The nodes that count, by the definition: `most` best values, equal ones together."""
    sign = 1 if player == 0 else -1
    values = [sign * worth(node) for node in nodes]
    return [
        node
        for node, value in zip(nodes, values, strict=True)
        if max(values) - value <= keeps.margin and len({v for v in values if v > value}) < keeps.most
    ]


def last_nodes(node, keeps):
    """What counts after the last ply, by the definition."""
    ends = []
    for child in node.children:
        on = child.player == node.player and not sees(child)
        ends += child.children if on else [child]
    return kept(node.player, ends, keeps, lambda end: end.value * (1 if end.player == TERMINAL else -1))


def plain_value(node, depth, filters):
    if node.player == TERMINAL or depth <= 0:
        return node.value
    if node.player == CHANCE:
        values = [plain_value(child, depth, filters) for child in node.children]
        return sum(p * value for p, value in zip(node.chances, values, strict=True))
    children = node.children
    if depth >= 2:
        children = kept(node.player, children, filters.below, lambda child: child.value)
    elif filters.last is not None:
        children = last_nodes(node, filters.last)
    return (max if node.player == 0 else min)(plain_value(child, depth - 1, filters) for child in children)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    trees(),
    st.integers(1, 4),
    st.sampled_from([(-1.0, 1.0), (-2.0, 1.0), None]),
    st.integers(0, 3),
    SOME_FILTERS,
    st.floats(-1.2, 1.2),
    st.sampled_from([0.01, 0.3, math.inf]),
)
def test_pruning_finds_the_value_of_the_moves_kept(node, depth, bounds, probes, filters, alpha, width):
    options = Options(probes=probes, filters=filters)
    game = TreeGame(node, bounds)
    context = SearchContext(Paired(), game, Limits(depth=1), options)
    scaled = options.filters.scaled(context.lower, context.upper)
    alpha, beta = (-math.inf, math.inf) if width == math.inf else (alpha, alpha + width)
    truth = plain_value(node, depth, scaled)
    found = star(TreeState(game, node), depth, alpha, beta, context)
    upper_bound = found <= alpha + CLOSE and truth <= found + CLOSE
    lower_bound = found >= beta - CLOSE and truth >= found - CLOSE
    assert upper_bound or lower_bound or found == pytest.approx(truth, abs=CLOSE)


def root_values(node, depth, filters):
    """The values of the root's moves that are left at a depth, by action."""
    if depth == 1:
        return {10 + i: plain_value(child, 0, filters) for i, child in enumerate(node.children)}
    before = root_values(node, depth - 1, filters)
    actions = list(before)
    left = filters.root_after(depth - 1).kept([before[action] for action in actions], node.player == 0, CLOSE)
    return {actions[i]: plain_value(node.children[actions[i] - 10], depth - 1, filters) for i in left}


@settings(max_examples=100, deadline=None)
@given(decision_trees(), st.integers(1, 4), SOME_FILTERS)
def test_each_iteration_searches_the_moves_that_the_one_before_left_and_says_so(node, depth, filters):
    state = TreeGame(node).new_initial_state()
    for algorithm in ("expectiminimax", "star1", "star2"):
        result = search(state, algorithm, Limits(depth=depth), Paired(), filters=filters)
        truths = root_values(node, result.depth, filters)
        best = (max if node.player == 0 else min)(truths.values())
        assert result.action_values == pytest.approx(truths, abs=CLOSE)
        assert result.value == pytest.approx(best, abs=CLOSE)
        left_out = result.statistics.filtered_moves > 0
        assert left_out or len(result.action_values) == len(node.children)
        assert any("selective" in note for note in result.notes) == left_out
        assert not (result.exact and left_out)


@settings(max_examples=50, deadline=None)
@given(decision_trees(), st.integers(2, 4), SOME_FILTERS)
def test_root_moves_prune_each_other_and_leave_the_same(node, depth, filters):
    """A bot's search; it ends as soon as one move is left."""
    state = TreeGame(node).new_initial_state()
    pruned = search(state, "star2", Limits(depth=depth), Paired(), filters=filters, exact_action_values=False)
    truths = root_values(node, pruned.depth, filters)
    best = (max if node.player == 0 else min)(truths.values())
    assert pruned.value == pytest.approx(best, abs=CLOSE)


def test_a_single_move_left_is_played_at_once_and_valued_for_readers():
    deep = top(top(top(leaf(0.5), leaf(0.7), guess=0.6), leaf(-1.0), guess=0.9), top(leaf(0.8), guess=-0.9))
    state = TreeGame(deep).new_initial_state()
    at_once = search(state, "star2", Limits(depth=3), Guess(), filters="normal", exact_action_values=False)
    assert (at_once.depth, at_once.best_action) == (1, 10)
    result = search(state, "star2", Limits(depth=3), Guess(), filters="normal")
    assert (result.depth, dict(result.action_values), result.exact) == (3, {10: 0.7}, False)
    assert result.tree().root.value == 0.7
    assert [child.greyed for child in result.tree().root.children][1].startswith("move filter")


@settings(max_examples=50, deadline=None)
@given(decision_trees(), st.integers(1, 4))
def test_filters_that_keep_all_moves_change_nothing_but_the_nodes(node, depth):
    state = TreeGame(node).new_initial_state()
    plain = search(state, "star2", Limits(depth=depth), Guess())
    kept = search(state, "star2", Limits(depth=depth), Guess(), filters=ALL)
    assert kept.action_values == pytest.approx(dict(plain.action_values), abs=CLOSE)  # sums in another order
    assert (kept.notes, kept.best_actions) == (plain.notes, plain.best_actions)
    assert kept.statistics.filtered_moves == 0


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.1, 0.5, 1.0]), min_size=1), ONE_FILTER, st.integers(0, 1))
def test_the_best_moves_are_kept_and_equal_ones_together(values, keeps, player):
    kept = keeps.kept(values, player == 0)
    best = max(values) if player == 0 else min(values)
    assert kept
    assert values[kept[0]] == best
    assert len(values) > 1 or kept == [0]
    told = {values[place] for place in kept}
    assert len(told) <= keeps.most
    assert sorted(kept) == [place for place, value in enumerate(values) if value in told]


def test_margins_are_in_units_of_half_the_range():
    scaled = FILTERS["normal"].scaled(-3.0, 3.0)
    assert (scaled.root.margin, scaled.below.margin) == pytest.approx((0.48, 0.12))
    assert FILTERS["normal"].scaled(-math.inf, math.inf).root == Filter(8, math.inf)


def test_specs():
    assert as_filters("8:0.16/2:0.04/3:0.1") == as_filters("normal") == FILTERS["normal"]
    assert str(as_filters("8:.16/2:0.04/3:0.1")) == "normal"
    for numbers in ("5:1/2:0.5", "5:1/2:0.5/3:0.2"):
        assert str(as_filters(numbers)) == numbers
    assert as_filters("none") is None
    for wrong in ("norml", "0:1/2:1", "8:0.16", "8:0.16/2:-1", "8:1/2:1/0:1", 3, ""):
        with pytest.raises(SpecError, match="filters must be"):
            as_filters(wrong)
    with pytest.raises(SpecError, match="normal"):
        as_filters("norml")
    bot = make_bot("star2(depth=2,filters=5:1/2:0.5)", load_game("pig"))
    bot.step(load_game("pig").new_initial_state())
    assert bot.last_result.algorithm == "star2(filters=5:1/2:0.5)"


def test_games_that_are_not_filtered_refuse():
    for name in ("pig(players=3)", "matrix_brps"):
        with pytest.raises(UnsupportedGameError, match="filters"):
            make_bot("star2(filters=normal)", load_game(name))
    state = load_game("pig(players=3)").new_initial_state()
    assert search(state, "star2", Limits(depth=2), filters="normal", opponents="paranoid").depth == 2
