"""ChanceProbCut: sound cuts change no value, and results say what was cut."""

import math
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.native import OFF
from support.trees import (
    Guess,
    Node,
    TreeGame,
    TreeState,
    bottom,
    chance,
    leaf,
    top,
    tree_depth,
    trees,
    true_value,
)

from starspiel.agents.evaluators import FunctionEvaluator, make_evaluator
from starspiel.agents.evaluators.depth_fit import DepthFit
from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.agents.search.context import SearchContext
from starspiel.agents.search.options import Options
from starspiel.agents.search.star import star
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import EvaluatorError, SpecError, UnsupportedGameError
from starspiel.envs.load import load_game

CLOSE = 1e-9


def evaluator(*fits: DepthFit) -> Guess:
    found = Guess()
    found.depth_fits = fits  # type: ignore[attr-defined]
    return found


def next_player(node: Node) -> int:
    """Who moves after the first outcome of a chance node that has a chance."""
    return next(child.player for child, p in zip(node.children, node.chances, strict=True) if p > 0)


def chance_nodes(node: Node) -> Iterator[Node]:
    if node.player == CHANCE and next_player(node) >= 0:
        yield node
    for child in node.children:
        yield from chance_nodes(child)


def fit_that_holds(node: Node, depth: int, slope: float, offset: float) -> DepthFit:
    """One from which no chance node of a tree deviates by more than its error."""

    def off(each: Node) -> float:
        sign = 1 if next_player(each) == 0 else -1
        shallow, deep = (sign * true_value(each, plies) for plies in (depth - 1, depth))
        return abs(deep - slope * shallow - offset)

    return DepthFit(slope, offset, max(map(off, chance_nodes(node)), default=0.0))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    trees(),
    st.integers(2, 4),
    st.integers(0, 2),
    st.sampled_from([0.5, 1.0, 1.3]),
    st.sampled_from([-0.2, 0.0, 0.1]),
    st.floats(-1.2, 1.2),
    st.sampled_from([0.01, 0.3, math.inf]),
)
def test_cuts_by_fits_that_hold_everywhere_are_sound(node, depth, probes, slope, offset, alpha, width):
    fits = [fit_that_holds(node, each, slope, offset) for each in range(2, depth + 1)]
    context = SearchContext(
        evaluator(*fits), TreeGame(node), Limits(depth=1), Options(probes=probes, probcut=1.0)
    )
    alpha, beta = (-math.inf, math.inf) if width == math.inf else (alpha, alpha + width)
    truth = true_value(node, depth)
    found = star(TreeState(TreeGame(node), node), depth, alpha, beta, context)
    upper_bound = found <= alpha + CLOSE and truth <= found + CLOSE
    lower_bound = found >= beta - CLOSE and truth >= found - CLOSE
    assert upper_bound or lower_bound or found == pytest.approx(truth, abs=CLOSE)


@settings(max_examples=50, deadline=None)
@given(trees(), st.integers(0, 1))
def test_no_fit_or_a_wide_margin_cuts_nothing(node, player):
    state = TreeGame(Node(player, 0.0, (node, node))).new_initial_state()
    limits = Limits(depth=tree_depth(node) + 1)
    plain = search(state, "star2", limits, evaluator())
    wide = search(state, "star2", limits, evaluator(DepthFit(1.0, 0.0, 2.0)), probcut=1.0)
    assert (wide.action_values, wide.exact, wide.notes) == (plain.action_values, plain.exact, plain.notes)


def worse_at_depth():
    """The first move is worth 0.5; the second seems to be worth -0.5, and two plies on is worth 1."""
    second = bottom(top(leaf(1.0), leaf(0.9), guess=-0.5), guess=-0.5)
    return top(leaf(0.5), chance((0.5, second), (0.5, second), guess=-0.5))


@pytest.mark.parametrize(("error", "value"), [(0.1, 0.5), (2.0, 1.0)])
def test_a_cut_is_wrong_if_the_fit_is_and_results_say_that_there_were_some(error, value):
    state = TreeGame(worse_at_depth()).new_initial_state()
    fits = evaluator(DepthFit(1.0, 0.0, error))
    result = search(state, "star2", Limits(depth=3), fits, probcut=1.0, exact_action_values=False)
    cuts = result.statistics.probcuts
    said = "1 chance node was cut off" if cuts == 1 else f"{cuts} chance nodes were cut off"
    assert result.value == value
    assert (cuts > 0) == (error < 1) == any(said in note for note in result.notes)
    assert result.exact == (cuts == 0)
    assert result.algorithm == "star2(probcut=1)"
    drawn = result.tree()
    assert drawn.statistics.probcuts == (drawn.root.value == 0.5)
    assert ("ChanceProbCut" in drawn.to_html()) == (cuts > 0)
    assert drawn.root.value == value


@pytest.mark.parametrize("engine", ["python", "native"])
def test_fits_are_triples_of_numbers_and_others_are_refused_in_words(engine):
    state = load_game("pig(winscore=20)").new_initial_state()
    known = make_evaluator("heuristic", state.get_game())

    def searched(fits):
        own = FunctionEvaluator(known, "own", known.range, by_position=True)
        own.depth_fits = fits
        return search(state, "star2", Limits(depth=4), own, engine=engine, probcut=1.0, **OFF)

    numbers, fit = searched([(1.0, 0.0, 0.01)]), searched((DepthFit(1.0, 0.0, 0.01),))
    assert numbers.action_values == fit.action_values
    assert numbers.statistics.probcuts == fit.statistics.probcuts > 0
    for fits in (None, [1.0], [(1.0, 0.0)], [(0.0, 0.0, 0.1)], (DepthFit(1.0, 0.0, math.nan),)):
        with pytest.raises(EvaluatorError, match="own: depth_fits are triples"):
            searched(fits)


@pytest.mark.parametrize(
    ("game", "spec", "reason"),
    [
        ("pig", "star2(depth=2,probcut=1.5,evaluator=heuristic)", "change with depth"),
        ("backgammon", "expectiminimax(depth=2,probcut=1.5)", "does not cut"),
        ("backgammon", "star2ss(depth=2,probcut=1.5)", "does not cut"),
        ("backgammon", "star2(depth=2,probcut=1.5,opponent=uniform)", "modelled opponent"),
        ("pig(players=3)", "star2(depth=2,probcut=1.5)", "without cuts"),
        ("goofspiel(num_cards=3,points_order=descending)", "star2(depth=2,probcut=1.5)", "without cuts"),
    ],
)
def test_searches_that_do_not_support_it_are_refused(game, spec, reason):
    loaded = load_game(game)
    with pytest.raises(UnsupportedGameError, match=reason):
        make_bot(spec, loaded)


@pytest.mark.parametrize("margin", ["-1", "nan", "wide"])
def test_the_margin_is_a_number(margin):
    with pytest.raises(SpecError, match="probcut"):
        make_bot(f"star2(depth=2,probcut={margin})", load_game("backgammon"))
