"""The values of positions by value iteration on arrays.

The graph of positions is solved one level of its strongly connected components at a time, ends first: where a
game cannot come back (scores only grow), a level holds few positions, and no sweep touches one whose
successors are still wrong. Where play can go on for ever, that counts as collecting nothing more.
"""

import numpy as np
import scipy  # what is used of it is loaded at its first use
from numpy.typing import NDArray

from starspiel.agents.solve.positions import Graph, Progress
from starspiel.agents.solve.settling import Settling
from starspiel.agents.solve.times import Times
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError

#: A level is solved when a sweep changes no value by more than this (relative to the greatest value).
_TOLERANCE = 1e-13
_MOST_SWEEPS = 100_000
_SWEEPS_A_LOOK = 8


def values_to_go(graph: Graph, tell: Progress) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """(values to go of all positions, their times, the greatest error of a value's equation)."""
    values = graph.ending.copy()
    scratch = np.zeros(len(values), np.int32)
    times = Times(graph)
    done = 0
    for nodes, cyclic in _levels(graph):
        tell("solved", done, len(values))
        level = _Level(graph, nodes, scratch)
        values[nodes] = level.settle(values[level.touched], cyclic, tell)
        times.settle(nodes, values, cyclic)
        done += len(nodes)
    tell("solved", done, len(values))
    residual = _Level(graph, np.arange(len(values)), scratch).error(values)
    return values, times.times, residual


def _levels(graph: Graph) -> list[tuple[NDArray[np.int64], bool]]:
    """The positions level by level, ends first, and whether a level can come back to itself.

    No edge leads from a level to a later one, and within a level none between components.
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


class _Level:
    """The positions of a level and their edges, numbered among themselves and the successors they touch.

    Attributes:
        touched: the positions, and the successors of theirs, as the graph numbers them, ascending.
    """

    def __init__(self, graph: Graph, nodes: NDArray[np.int64], scratch: NDArray[np.int32]) -> None:
        self.touched = np.unique(np.concatenate((nodes, graph.target[graph.edges_of(nodes)])))
        scratch[self.touched] = np.arange(len(self.touched), dtype=np.int32)
        self._nodes = scratch[nodes]
        player = graph.player[nodes]
        self._parts: list[_Chances | _Decisions] = [
            _Chances(graph, nodes[player == CHANCE], scratch, len(self.touched)),
            _Decisions(graph, nodes[player == 0], scratch, np.maximum),
            _Decisions(graph, nodes[player == 1], scratch, np.minimum),
        ]

    def settle(self, values: NDArray[np.float64], cyclic: bool, tell: Progress) -> NDArray[np.float64]:
        """The positions' values, from those of all it touches; one sweep does for a level without cycles."""
        self.sweep(values)
        if cyclic:
            self._sweep_until_still(values, tell)
        return values[self._nodes]

    def _sweep_until_still(self, values: NDArray[np.float64], tell: Progress) -> None:
        settling: Settling | None = None
        changes: list[float] = []
        transient = 2 * len(self._nodes) + 1000  # sweeps in which values travel as far as they can
        for sweeps in range(_SWEEPS_A_LOOK, _MOST_SWEEPS, _SWEEPS_A_LOOK):
            for _ in range(_SWEEPS_A_LOOK - 1):
                self.sweep(values)
            before = values.copy()
            self.sweep(values)
            change = float(np.abs(values - before).max())
            enough = _TOLERANCE * max(1.0, float(values.max()), -float(values.min()))
            if settling is None:
                settling = Settling("values that come back to themselves", enough, tell)
            settling.swept(change)
            if change <= enough:
                return
            changes.append(change)
            if sweeps > transient and change > 0.9 * changes[len(changes) // 2]:
                break
        raise StarspielError(
            f"the values do not converge: after {sweeps:,} sweeps one still changes by {change:.1e}. "
            "Either rewards are paid without end, or play ends so rarely that values settle too slowly; "
            "a discount below 1, a smaller one, or a horizon helps."
        )

    def sweep(self, values: NDArray[np.float64]) -> None:
        """Backs every position up in place, chance nodes first."""
        for part in self._parts:
            values[part.nodes] = part.backed_up(values)

    def error(self, values: NDArray[np.float64]) -> float:
        """By how much a value at most differs from what its successors' values make it."""
        return max(
            float(np.abs(part.backed_up(values) - values[part.nodes]).max(initial=0.0))
            for part in self._parts
        )


class _Chances:
    """The chance nodes of a level: their expectations as one sparse matrix."""

    def __init__(
        self, graph: Graph, nodes: NDArray[np.int64], scratch: NDArray[np.int32], width: int
    ) -> None:
        self.nodes = scratch[nodes]
        edges = graph.edges_of(nodes)
        weight = graph.weight[edges]
        starts = np.concatenate(([0], np.cumsum(graph.first[nodes + 1] - graph.first[nodes])))
        self._paid = (
            0.0
            if not len(graph.reward) or not len(edges)
            else np.add.reduceat(weight * graph.reward[edges], starts[:-1])
        )
        if len(graph.ratio):
            weight = weight * graph.ratio[edges]
        self._matrix = scipy.sparse.csr_matrix(
            (weight, scratch[graph.target[edges]], starts), shape=(len(nodes), width)
        )

    def backed_up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        expected: NDArray[np.float64] = self._matrix @ values
        expected += self._paid
        return expected


class _Decisions:
    """One player's decisions of a level, those with most moves first: their n-th moves side by side."""

    def __init__(
        self,
        graph: Graph,
        nodes: NDArray[np.int64],
        scratch: NDArray[np.int32],
        best: np.ufunc,
    ) -> None:
        moves = graph.first[nodes + 1] - graph.first[nodes]
        nodes = nodes[np.argsort(-moves, kind="stable")]
        self.nodes = scratch[nodes]
        self._best = best
        self._columns = []
        for n in range(int(moves.max(initial=0))):
            edges = graph.first[nodes[: int((moves > n).sum())]] + n
            reward, ratio = (graph.reward[edges], graph.ratio[edges]) if len(graph.reward) else (None, None)
            self._columns.append((scratch[graph.target[edges]], reward, ratio))

    def backed_up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        best = np.empty(0)
        for n, (target, reward, ratio) in enumerate(self._columns):
            worth = values[target]
            if reward is not None and ratio is not None:
                worth = reward + ratio * worth
            if n == 0:
                best = worth
            else:
                self._best(best[: len(worth)], worth, out=best[: len(worth)])
        return best
