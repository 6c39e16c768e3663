"""The native max^n on random trees of vectors: the Python engine's vectors and nodes."""

import math
import random
from dataclasses import replace

import pytest
from support.native import core_options
from support.trees import TREES
from support.vector_trees import Guesses, VectorGame, true_vector, vector_tree

from starspiel.agents.search.limits import Limits
from starspiel.agents.search.maxn_engine import MaxnEngine
from starspiel.agents.search.options import Options

KINDS = [(2, None), (2, 0.5), (3, 0.0), (3, None), (4, 0.0), (4, 1.0)]


def with_shared(draw, root):
    """The tree with some nodes in the places of others that are as far from the root."""
    met = {}

    def shared(node, level):
        known = met.setdefault(level, [])
        if level > 0 and known and draw.random() < 0.3:
            return draw.choice(known)
        known.append(replace(node, children=tuple(shared(child, level + 1) for child in node.children)))
        return known[-1]

    return shared(root, 0)


def numbered(root):
    """([(player, vector, children, probabilities)], equal nodes once, and the root's number)."""
    numbers, nodes = {}, []

    def number(node):
        if node not in numbers:
            children = [number(child) for child in node.children]
            numbers[node] = len(nodes)
            nodes.append((node.player, node.value, children, node.chances))
        return numbers[node]

    at = number(root)
    return nodes, at


def check_tree(core, search, draw, players, total):
    root = with_shared(draw, vector_tree(draw, players, total))
    nodes, at = numbered(root)
    depth, share = draw.choice((1, 2, 3, 9)), draw.random() < 0.5
    options = Options(algorithm=draw.choice(("expectiminimax", "star1")))
    game = VectorGame(root, draw.choice([(-1.0, 1.0), (-1.5, 1.0), None]), total)
    python = MaxnEngine(Guesses(total is not None), game, Limits(depth=depth), options)
    expected = {}
    python.search_root(game.new_initial_state(), depth, 0.0 if share else math.inf, expected)
    told = {"prune": python.hands_floors, "total": python.total, "maxn": True}
    bounds = (python.lower, python.most)
    values, vectors, counts = search(nodes, at, depth, share, core_options(core, bounds, **told))
    assert [10 + action for action, _ in values] == list(expected)
    for (_, own), vector, python_vector in zip(values, vectors, expected.values(), strict=True):
        assert vector == pytest.approx(python_vector, abs=1e-12)
        assert own == vector[root.player]
    statistics = python.statistics()
    for name in ("nodes", "leaves", "decision_cutoffs", "chance_cutoffs"):
        assert counts[name] == getattr(statistics, name), name
    extras = draw.choice([{"merge": True}, {"table_bytes": 1 << 12}, {"merge": True, "table_bytes": 1 << 20}])
    values, vectors, counts = search(nodes, at, depth, share, core_options(core, bounds, **told, **extras))
    assert {10 + action for action, _ in values} == set(expected)
    for (action, _), vector in zip(values, vectors, strict=True):
        assert vector == pytest.approx(true_vector(root.children[action], depth - 1), abs=1e-9)
    return counts["table_hits"], counts["merged_outcomes"]


@pytest.mark.parametrize(("players", "total"), KINDS)
def test_trees_node_for_node(core, probe, players, total):
    draw = random.Random(players + 10 * (total or -1))
    found = [check_tree(core, probe.search_vector_tree, draw, players, total) for _ in range(3 * TREES)]
    hits, merged = map(sum, zip(*found, strict=True))
    assert hits > 0
    assert merged > 0
