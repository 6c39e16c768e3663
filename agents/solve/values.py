"""The values of positions by value iteration on arrays.

The graph is solved one level of its strongly connected components at a time, ends first, so that no sweep
touches a position whose successors are still wrong. Play that goes on for ever collects nothing more.
"""

from collections.abc import Iterator

import numpy as np

from starspiel.agents.solve.joint_values import JointBackup
from starspiel.agents.solve.levels import Floats, Level, Places, levels_of
from starspiel.agents.solve.positions import Graph
from starspiel.agents.solve.progress import Progress, Settling
from starspiel.agents.solve.times import settle_times
from starspiel.agents.solve.vector_values import VectorBackup
from starspiel.envs.errors import StarspielError

#: A level is solved when a sweep changes no value by more than this (relative to the greatest value).
_TOLERANCE = 1e-13
_MOST_SWEEPS = 100_000
_SWEEPS_A_LOOK = 8


def values_to_go(graph: Graph, tell: Progress) -> tuple[Floats, Floats, float]:
    """(values to go of all positions, their times, the greatest error of a value's equation).

    Times are zeros if values are vectors, or players move at once.
    """
    values = graph.ending.copy()
    scratch = np.zeros(len(values), np.int32)
    times = np.zeros(len(values))
    make = VectorBackup if values.ndim == 2 else _Backup
    timed = values.ndim == 1 and not len(graph.columns)
    done = 0
    for nodes, cyclic in levels_of(graph):
        tell("solved", done, len(values))
        level = Level(graph, nodes, scratch)
        touched, backup = values[level.touched], make(level)
        backup.sweep(touched)
        if cyclic:
            _sweep_until_still(backup, touched, len(nodes), tell)
        values[nodes] = touched[level.here]
        if timed:
            settle_times(times, level, values, cyclic)
        done += len(nodes)
    tell("solved", done, len(values))
    return values, times, make(Level(graph, np.arange(len(values)), scratch)).error(values)


def _sweep_until_still(backup: "_Backup | VectorBackup", values: Floats, count: int, tell: Progress) -> None:
    settling: Settling | None = None
    changes: list[float] = []
    transient = 2 * count + 1000  # sweeps in which values travel as far as they can
    for sweeps in range(_SWEEPS_A_LOOK, _MOST_SWEEPS, _SWEEPS_A_LOOK):
        for _ in range(_SWEEPS_A_LOOK - 1):
            backup.sweep(values)
        before = values.copy()
        backup.sweep(values)
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
        f"{backup.remedy}"
    )


class _Backup:
    """What the values of a level's positions are by those of their successors."""

    remedy = (
        "Either rewards are paid without end, or play ends so rarely that values settle too slowly; "
        "a discount below 1, a smaller one, or a horizon helps."
    )

    def __init__(self, level: Level) -> None:
        graph, edges = level.graph, level.chance_edges
        weight = graph.weight[edges]
        self._paid: Floats | float = 0.0
        if graph.is_paid and len(edges):
            self._paid = np.add.reduceat(weight * graph.reward[edges], level.starts[:-1])
            weight = weight * graph.ratio[edges]
        self._chances, self._matrix = level.chances, level.expectation(weight)
        self._joint = JointBackup(level) if len(graph.columns) else None
        self._decisions = []
        for player, best in ((0, np.maximum), (1, np.minimum)):
            nodes, columns = level.decisions(level.player == player)
            moves = [
                (level.targets(edges), *((graph.reward[edges], graph.ratio[edges]) if graph.is_paid else ()))
                for edges in columns
            ]
            self._decisions.append((best, level.places(nodes), moves))

    def _parts(self, values: Floats) -> Iterator[tuple[Places, Floats]]:
        """(places, their values): of chance nodes, then, by what `values` are then, of each player."""
        yield self._chances, self._matrix @ values + self._paid
        for best, places, moves in self._decisions:
            found = np.empty(0)
            for n, (target, *pays) in enumerate(moves):
                worth = pays[0] + pays[1] * values[target] if pays else values[target]
                if n == 0:
                    found = worth
                else:
                    best(found[: len(worth)], worth, out=found[: len(worth)])
            yield places, found
        if self._joint is not None:
            yield self._joint.places, self._joint.found(values)

    def sweep(self, values: Floats) -> None:
        """Backs every position up in place."""
        for places, found in self._parts(values):
            values[places] = found

    def error(self, values: Floats) -> float:
        """By how much a value at most differs from what its successors' values make it."""
        return max(
            float(np.abs(found - values[places]).max(initial=0.0)) for places, found in self._parts(values)
        )
