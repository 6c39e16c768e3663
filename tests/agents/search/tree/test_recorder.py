"""What is recorded is the search that there is: visit for visit, cut for cut."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.trees import TreeGame, TreeState, decision_trees, guess, true_value

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.search import Limits, search
from starspiel.agents.search.tree import TreeNode
from starspiel.agents.search.tree import recorder as recorder_module
from starspiel.agents.search.tree.node import Frame
from starspiel.agents.search.tree.visit import Record
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game

ALGORITHMS = ("expectiminimax", "star1", "star2", "star2(2)")


def searched(state, algorithm, depth, evaluator, **options):
    """The result of a search whose statistics are of one iteration alone."""
    name, _, probes = algorithm.partition("(")
    return search(
        state,
        name,
        Limits(depth=depth),
        evaluator,
        seed=1,
        engine="python",
        ties="first",
        probes=int(probes[:-1] or 1) if probes else 1,
        **options,
    )


def records(record: Record) -> Iterator[Record]:
    yield record
    for child in record.children.values():
        yield from records(child)


def every_visit(tree) -> Iterator[TreeNode]:
    """Each visit as a node: of a position that was visited twice, two."""
    frame: Frame = tree.root._frame
    for record in records(tree.root._record):
        for visit in record.visits:
            yield TreeNode(record.state, 0, None, "", None, "", record, visit, None, frame)


def nodes(node: TreeNode) -> Iterator[TreeNode]:
    yield node
    for child in node.children:
        yield from nodes(child)


@settings(max_examples=40, deadline=None, database=None)
@given(
    decision_trees(),
    st.sampled_from([1, 2, 3, 100]),
    st.sampled_from([(-1.0, 1.0), (-1.5, 1.0), None]),
    st.sampled_from(ALGORITHMS),
    st.booleans(),
)
def test_the_record_agrees_with_the_counters_of_the_search(node, depth, bounds, algorithm, exact):
    state = TreeState(TreeGame(node, bounds), node)
    evaluator = FunctionEvaluator(guess, range=(-1.0, 1.0))
    result = searched(state, algorithm, depth, evaluator, exact_action_values=exact)
    tree = result.tree()
    theirs, ours = result.statistics, tree.statistics
    for count in ("nodes", "leaves", "decision_cutoffs", "chance_cutoffs", "probes", "probes_won"):
        assert getattr(ours, count) == getattr(theirs, count)
    visits = list(every_visit(tree))
    assert len(visits) == theirs.nodes
    cuts = Counter(visit.cut for visit in visits)
    assert cuts["Star1 bound"] + cuts["Star2 probe"] + cuts["bounds"] == theirs.chance_cutoffs
    assert cuts["Star2 probe"] == theirs.probes_won
    if algorithm != "star2(2)":  # which may be cut among the moves that it probes
        assert cuts["alpha cut"] + cuts["beta cut"] == theirs.decision_cutoffs
    assert tree.root.value == result.value


@settings(max_examples=25, deadline=None, database=None)
@given(decision_trees(), st.sampled_from([1, 2, 3, 100]), st.sampled_from(ALGORITHMS))
def test_intervals_hold_the_true_values_and_what_was_not_searched_has_a_reason(node, depth, algorithm):
    state = TreeState(TreeGame(node), node)
    evaluator = FunctionEvaluator(guess, range=(-1.0, 1.0))
    tree = searched(state, algorithm, depth, evaluator).tree()

    def check(seen: TreeNode, left: int) -> None:
        low, high = seen.interval
        truth = true_value(seen.state.node, left)
        assert low - 1e-9 <= truth <= high + 1e-9
        assert seen.searched == (not seen.greyed)
        if seen.relation == "exact":
            assert seen.value == pytest.approx(truth, abs=1e-9)
        for child in seen.children:
            check(child, left - (seen.player >= 0))

    check(tree.root, depth)


@pytest.mark.parametrize("algorithm", ["expectiminimax", "star1", "star2"])
def test_what_the_table_answered_is_marked(algorithm):
    game = load_game("star_pig(goal=12)")
    tree = searched(game.new_initial_state(), algorithm, 4, "zero").tree()
    assert tree.statistics.table_hits > 0
    answered = [visit for visit in every_visit(tree) if visit.source and visit.source.value == "table"]
    # A chance node of Star uses what the table holds of its outcomes as well: such hits have no visit.
    assert len(answered) == tree.statistics.table_hits
    assert all(not visit.children for visit in answered)


def test_a_batch_of_leaves_is_recorded_as_it_was_valued():
    state = load_game("einstein_wurfelt_nicht").new_initial_state().child(0)
    while state.is_chance_node():
        state = state.child(state.chance_outcomes()[0][0])
    result = searched(state, "star2", 2, "net")
    tree = result.tree()
    assert len(list(every_visit(tree))) == result.nodes == tree.statistics.nodes
    assert tree.root.value == result.value


def test_drawn_outcomes_and_discounted_values_are_those_of_the_search():
    lake = load_game("FrozenLake-v1(discount=0.9)").new_initial_state()
    while lake.is_chance_node():
        lake = lake.child(lake.chance_outcomes()[0][0])
    result = search(lake, "star2", Limits(depth=3))
    assert result.tree().root.value == pytest.approx(result.value)
    state = load_game("pig(players=2)").new_initial_state()
    for seed in (None, 3):
        result = search(state, "star2ss", Limits(depth=2), seed=seed, width=3, engine="python")
        assert result.tree().root.value == result.value


def test_a_search_of_drawn_outcomes_names_and_draws_as_others_do():
    state = load_game("backgammon").new_initial_state().child(3)
    sampled = search(state, "star2ss", Limits(depth=1), seed=1, width=2, engine="python")
    plain = search(state, "star2", Limits(depth=1), engine="python")
    assert sampled.names == plain.names
    assert sampled.line == plain.line
    drawn, searched_in_full = sampled.tree(), plain.tree()
    assert [node.name for node in drawn.root.children] == [
        node.name for node in searched_in_full.root.children
    ]
    assert "<pre class=" not in drawn.to_html(), "positions are drawn, not written"


def test_a_tree_too_large_to_record_is_drawn_to_the_deepest_depth_that_is_not(monkeypatch):
    root = load_game("pig(players=2)").new_initial_state()
    result = search(root, "star1", Limits(depth=4))
    fits = search(root, "star1", Limits(depth=2)).tree()
    monkeypatch.setattr(recorder_module, "MAX_RECORDED", fits.statistics.nodes + 1)
    tree = result.tree()
    assert (tree.depth, tree.root.value) == (2, fits.root.value)
    assert "Drawn to 2 plies, the deepest that can be recorded" in tree.notes[-1]
    assert "the search went to 4 plies" in tree.notes[-1]
    monkeypatch.setattr(recorder_module, "MAX_RECORDED", 1)
    with pytest.raises(StarspielError, match=r"to depth 1 has more than 1 nodes.*smaller depth"):
        result.tree()
