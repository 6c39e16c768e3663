"""The native search on random trees and graphs: the Python engine's values, nodes and bounds."""

import math
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.native import COUNTS, core_options

from starspiel.agents.evaluators.base import FunctionEvaluator
from starspiel.agents.opponents import Opponent
from starspiel.agents.search.context import NOBODY
from starspiel.agents.search.engine import PythonEngine
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.move_filters import Filter, MoveFilters
from starspiel.agents.search.options import Options
from starspiel.agents.search.star import CUT_TOLERANCE
from starspiel.agents.search.table import IntervalTable
from starspiel.envs.base import CHANCE, TERMINAL

LOW, HIGH = -2.0, 3.0
#: Among them ties, and what differs by no more than cut-offs forgive.
VALUES = st.floats(LOW, HIGH, allow_nan=False) | st.sampled_from([LOW, -1e-12, -0.0, 0.0, 1e-12, HIGH])


@dataclass(frozen=True)
class TreeState:
    """A node of a graph of (player, value, children, probabilities)."""

    nodes: tuple
    at: int

    def current_player(self):
        return self.nodes[self.at][0]

    def is_terminal(self):
        return self.current_player() == TERMINAL

    def legal_actions(self):
        return list(range(len(self.nodes[self.at][2])))

    def chance_outcomes(self):
        return list(enumerate(self.nodes[self.at][3]))

    def child(self, action):
        return TreeState(self.nodes, self.nodes[self.at][2][action])

    def returns(self):
        value = self.nodes[self.at][1]
        return [value, -value]


#: Of all nodes but the root, half of the time.
FILTERS = st.none() | st.builds(Filter, st.integers(1, 2), st.sampled_from([0.0, 0.2, 9.0])).map(
    lambda below: MoveFilters(Filter(9, 0.1), below)
)


@st.composite
def graphs(draw, shared):
    """Nodes in layers, the root first; with `shared`, several nodes may have the same child."""
    nodes = []
    layers = draw(st.integers(2, 5))
    layer = [0]
    following = 1
    for depth in range(layers + 1):
        next_layer = []
        for at in layer:
            kinds = [0, 1] if at == 0 else [0, 1, CHANCE, CHANCE, TERMINAL]
            player = draw(st.sampled_from(kinds)) if depth < layers else TERMINAL
            children, chances = [], []
            if player != TERMINAL:
                for _ in range(draw(st.integers(1, 3))):
                    if shared and next_layer and draw(st.booleans()):
                        children.append(draw(st.sampled_from(next_layer)))
                    else:
                        next_layer.append(following)
                        children.append(following)
                        following += 1
            if player == CHANCE:
                weights = [draw(st.integers(0, 9)) for _ in children]
                weights[draw(st.integers(0, len(children) - 1))] += 1  # Not all are impossible.
                chances = [weight / sum(weights) for weight in weights]
            nodes.append((player, draw(VALUES), children, chances))
        layer = next_layer
    return tuple(nodes)


#: What an engine asks of a game.
BOUNDED = SimpleNamespace(name="tree", utility_range=(LOW, HIGH), step_rewards=False)


def options(core, **changes):
    pruned = {"bounds": (LOW, HIGH), "value_range": (LOW, HIGH), "prune": True, "probes": 1}
    return core_options(core, **pruned | changes)


def python_engine(algorithm, probes, depth, opponent=None, modelled=NOBODY, filters=None):
    evaluator = FunctionEvaluator(lambda state: state.returns()[0], "node", (LOW, HIGH))
    how = Options(algorithm=algorithm, probes=probes, filters=filters)
    opponent = opponent and replace(opponent, player=modelled)
    return PythonEngine(evaluator, BOUNDED, Limits(depth=depth), how, opponent=opponent)


@settings(max_examples=80, deadline=None)
@given(
    graphs(shared=False),
    st.integers(1, 4),
    st.sampled_from([("expectiminimax", 0), ("star1", 0), ("star2", 1), ("star2", 2)]),
    st.booleans(),
    st.booleans(),
    FILTERS,
)
def test_node_for_node(core, search_tree, nodes, depth, algorithm, share, is_modelled, filters):
    name, probes = algorithm
    modelled = 1 - nodes[0][0] if is_modelled else NOBODY
    opponent = Opponent("uniform") if is_modelled else None
    python = python_engine(name, probes, depth, opponent, modelled, filters)
    expected = {}
    python.search_root(TreeState(nodes, 0), depth, 0.0 if share else math.inf, expected)
    how = {"opponent": modelled, "filter": python.filters and python.filters.told}
    values, counts = search_tree(
        nodes, 0, depth, share, options(core, prune=name != "expectiminimax", probes=probes, **how)
    )
    assert dict(values) == pytest.approx(expected, abs=1e-12)
    statistics = python.statistics()
    for count in (*COUNTS, "filtered_moves"):
        assert counts[count] == getattr(statistics, count), count
    assert counts["horizon"] == python.evaluations


@settings(max_examples=80, deadline=None)
@given(
    graphs(shared=False),
    st.integers(1, 4),
    st.sampled_from([("star1", 0), ("star2", 1), ("star2", 2)]),
    st.booleans(),
    st.floats(0, 307).map(lambda power: 3 * 10.0**power),
    st.booleans(),
)
def test_loose_ranges_and_large_values_node_for_node(
    core, search_tree, nodes, depth, algorithm, share, width, large
):
    """Values in [-3, 3] with bounds of any width, and values as large as the bounds."""
    name, probes = algorithm
    factor = width / 3 if large else 1.0
    nodes = tuple((player, value * factor, *rest) for player, value, *rest in nodes)
    evaluator = FunctionEvaluator(lambda state: state.returns()[0], "node", (-width, width))
    game = SimpleNamespace(name="tree", utility_range=(-width, width), step_rewards=False)
    python = PythonEngine(evaluator, game, Limits(depth=depth), Options(algorithm=name, probes=probes))
    expected, truths = {}, {}
    python.search_root(TreeState(nodes, 0), depth, 0.0 if share else math.inf, expected)
    full = PythonEngine(evaluator, game, Limits(depth=depth), Options(algorithm="expectiminimax"))
    full.search_root(TreeState(nodes, 0), depth, math.inf, truths)
    bounds = (float("-inf"), float("inf")) if python.unbounded else (-width, width)
    values, counts = search_tree(
        nodes, 0, depth, share, options(core, probes=probes, bounds=bounds, value_range=(-width, width))
    )
    assert dict(values) == expected
    assert counts["nodes"] == python.nodes
    best = max if nodes[0][0] == 0 else min
    close = {"abs": CUT_TOLERANCE + 1e-13 * factor, "rel": 1e-13}  # a cut-off forgives that much
    assert best(expected.values()) == pytest.approx(best(truths.values()), **close)
    for action, value in values:
        assert value == pytest.approx(truths[action], **close)


def assert_right(nodes, values, expected, all_of_them):
    """Holds exact values to `expected`, and the best of them to the best of these."""
    best = max if nodes[0][0] == 0 else min
    for action, value in values.items():
        assert value == pytest.approx(expected[action], abs=1e-9)
    assert best(values.values()) == pytest.approx(best(expected.values()), abs=1e-9)
    assert len(values) == len(expected) or not all_of_them


@settings(max_examples=100, deadline=None)
@given(
    graphs(shared=True),
    st.integers(1, 4),
    st.fixed_dictionaries(
        {
            "probes": st.integers(0, 2),
            "prune": st.booleans(),
            "merge": st.booleans(),
            "order": st.booleans(),
            "table_bytes": st.sampled_from([0, 1, 1 << 20]),
        }
    ),
    st.booleans(),
    st.booleans(),
    FILTERS,
)
def test_extras_change_no_value(core, search_tree, nodes, depth, extras, share, is_modelled, filters):
    modelled = 1 - nodes[0][0] if is_modelled else NOBODY
    opponent = Opponent("uniform") if is_modelled else None
    expected = {}
    plain = python_engine("expectiminimax", 0, depth, opponent, modelled, filters)
    plain.search_root(TreeState(nodes, 0), depth, math.inf, expected)
    how = {"opponent": modelled, "filter": plain.filters and plain.filters.told}
    values, _ = search_tree(nodes, 0, depth, share, options(core, **how, **extras))
    assert_right(nodes, dict(values), expected, not share)


class GraphGame:
    """What the Python engine's table asks of a game: equal nodes are equal positions."""

    def key(self, state):
        return state.at

    def frame(self, state):
        return 0.0, 1.0


@settings(max_examples=80, deadline=None)
@given(graphs(shared=True), st.integers(1, 4), st.integers(0, 2), st.booleans(), st.sampled_from([0, 1]))
def test_the_python_table_changes_no_value(nodes, depth, probes, share, megabytes):
    root = TreeState(nodes, 0)
    expected, values = {}, {}
    plain = python_engine("expectiminimax", 0, depth)
    plain.search_root(root, depth, math.inf, expected)
    evaluator = FunctionEvaluator(lambda state: state.returns()[0], "node", (LOW, HIGH))
    table = IntervalTable(GraphGame(), megabytes)
    for iteration in range(1, depth + 1):  # The later ones ask the table of the earlier.
        how = Options(algorithm="star2" if probes else "star1", probes=probes)
        engine = PythonEngine(evaluator, BOUNDED, Limits(depth=depth), how, table)
        values.clear()
        engine.search_root(root, iteration, 0.0 if share else math.inf, values)
    assert_right(nodes, values, expected, not share)
    best = max if nodes[0][0] == 0 else min
    if engine.evaluations == 0:  # Then the value is the game's own. (What was pruned may have needed one.)
        to_the_end = {}
        python_engine("expectiminimax", 0, 20).search_root(root, 20, math.inf, to_the_end)
        assert best(values.values()) == pytest.approx(best(to_the_end.values()), abs=1e-9)
    else:
        assert plain.evaluations > 0


def test_a_game_without_bounds_is_not_pruned_at_chance_nodes(core, search_tree):
    infinite = (float("-inf"), float("inf"))
    nodes = [(0, 0.0, [1, 2], []), (CHANCE, 0.0, [3, 4], [0.5, 0.5]), (CHANCE, 0.0, [5, 6], [0.5, 0.5])]
    nodes += [(TERMINAL, value, [], []) for value in (3.0, 3.0, -2.0, -2.0)]
    values, counts = search_tree(nodes, 0, 2, True, options(core, bounds=infinite))
    assert values == [(0, 3.0)]
    assert (counts["chance_cutoffs"], counts["nodes"]) == (0, 7)
    _, counts = search_tree(nodes, 0, 2, True, options(core))
    assert (counts["chance_cutoffs"], counts["nodes"]) == (1, 6)
