"""Splits a graph of positions into levels: sets of positions that are solved together, ends first."""

import numpy as np
import scipy  # loads its parts on first use, as they are slow to load
from numpy.typing import NDArray

from starspiel.agents.solve.positions import Graph
from starspiel.envs.base import CHANCE

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: Numbers of positions or edges in the graph; and of positions in a level.
Index = NDArray[np.int64]
Places = NDArray[np.int32]


class Level:
    """Positions and their successors, with numbers of their own.

    Attributes:
        nodes: the positions, by their numbers in the graph; `player` acts there, and `here` are their numbers
            in the level.
        touched: the positions and their successors, by their numbers in the graph, ascending.
        chances: numbers of the chance nodes in the level; `chance_edges` are their edges, and `starts` is the
            index of each one's first edge.
    """

    def __init__(self, graph: Graph, nodes: Index, scratch: Places) -> None:
        """`scratch` has room for the number of every position; the next level uses it again."""
        self.graph, self.nodes, self._scratch = graph, nodes, scratch
        self.touched = np.unique(np.concatenate((nodes, graph.target[graph.edges_of(nodes)])))
        scratch[self.touched] = np.arange(len(self.touched), dtype=np.int32)
        self.here = scratch[nodes]
        self.player = graph.player[nodes]
        chances = nodes[self.player == CHANCE]
        self.chances, self.chance_edges = scratch[chances], graph.edges_of(chances)
        self.starts = np.concatenate(([0], np.cumsum(graph.first[chances + 1] - graph.first[chances])))

    def places(self, nodes: Index | Places) -> Places:
        """Returns the numbers in this level of positions of the graph."""
        return self._scratch[nodes]

    def targets(self, edges: Index) -> Places:
        """Returns the numbers in this level of the targets of edges."""
        return self._scratch[self.graph.target[edges]]

    def expectation(self, weight: Floats) -> "scipy.sparse.csr_matrix":
        """Returns a (chances, touched) matrix that sums over the edges of each chance node, with these
        weights.
        """
        shape = len(self.chances), len(self.touched)
        return scipy.sparse.csr_matrix((weight, self.targets(self.chance_edges), self.starts), shape)

    def decisions(self, some: Mask) -> tuple[Index, list[Index]]:
        """Returns the positions in `some`, those with most moves first, and a list of their first edges,
        their second edges, and so on.
        """
        nodes, first = self.nodes[some], self.graph.first
        moves = first[nodes + 1] - first[nodes]
        nodes = nodes[np.argsort(-moves, kind="stable")]
        counts = [int((moves > n).sum()) for n in range(int(moves.max(initial=0)))]
        return nodes, [first[nodes[:count]] + n for n, count in enumerate(counts)]


def levels_of(graph: Graph) -> list[tuple[Index, bool]]:
    """Returns the positions level by level, ends first, and whether each level contains a cycle.

    No edge leads from a level to a later one. Within a level, no edge leads from one strongly connected
    component to another.
    """
    count = len(graph.player)
    source = np.repeat(np.arange(count, dtype=np.int32), np.diff(graph.first))
    edges = scipy.sparse.csr_matrix(
        (np.ones(len(source), np.int8), graph.target, graph.first), shape=(count, count)
    )
    components, label = scipy.sparse.csgraph.connected_components(edges, connection="strong")
    within = label[source] == label[graph.target]
    cyclic = np.zeros(components, bool)
    cyclic[label[source[within]]] = True
    between = scipy.sparse.csr_matrix(
        (np.ones(int((~within).sum()), np.int8), (label[source[~within]], label[graph.target[~within]])),
        shape=(components, components),
    )
    between.sum_duplicates()
    waiting = np.diff(between.indptr)
    before = between.T.tocsr()
    level_of = np.zeros(components, np.int64)
    ready = np.flatnonzero(waiting == 0)
    level = 0
    while len(ready):
        level_of[ready] = level
        freed = before[ready].indices
        np.subtract.at(waiting, freed, 1)
        freed = np.unique(freed)
        ready = freed[waiting[freed] == 0]
        level += 1
    node_level = level_of[label]
    order = np.argsort(node_level, kind="stable")
    cuts = np.flatnonzero(np.diff(node_level[order])) + 1
    return [(nodes, bool(cyclic[label[nodes]].any())) for nodes in np.split(order, cuts)]
