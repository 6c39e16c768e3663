"""Computes the values of positions by value iteration on arrays.

The graph is solved level by level of its strongly connected components, ends first, so that no sweep touches
a position whose successors are still wrong. Play that goes on for ever collects nothing more.
"""

import numpy as np

from starspiel.agents.solve.backups import Backup, NumberBackup, VectorBackup
from starspiel.agents.solve.levels import Floats, Level, levels_of
from starspiel.agents.solve.positions import Graph
from starspiel.agents.solve.progress import Progress, Settling
from starspiel.agents.solve.times import settle_times
from starspiel.envs.errors import StarspielError

#: A level is solved when a sweep changes no value by more than this (relative to the greatest value).
_TOLERANCE = 1e-13
MOST_SWEEPS = 100_000
#: The most times that values that nobody collects are reset before sweeps go on.
_MOST_RESETS = 100
#: A cut-off does not matter if it changes values by at most this share.
_SETTLED = 1e-9
_SWEEPS_A_LOOK = 8


def times_to_go(graph: Graph, values: Floats) -> Floats:
    """Returns the times of all positions, given their values to go, which are numbers."""
    scratch, times = np.zeros(len(values), np.int32), np.zeros(len(values))
    for nodes, cyclic in levels_of(graph):
        settle_times(times, Level(graph, nodes, scratch), values, cyclic)
    return times


def values_to_go(graph: Graph, tell: Progress) -> tuple[Floats, Floats, float]:
    """Returns the values to go of all positions, their times, and the greatest error of an equation."""
    values = graph.ending.copy()
    scratch = np.zeros(len(values), np.int32)
    times = np.zeros(len(values))
    make: type[Backup] = VectorBackup if values.ndim == 2 else NumberBackup
    unit = _unit_of(values) if values.ndim == 2 else 1.0
    values /= unit
    done = 0
    for nodes, cyclic in levels_of(graph):
        tell("solved", done, len(values))
        level = Level(graph, nodes, scratch)
        touched, backup = values[level.touched], make(level)
        backup.sweep(touched)
        before = np.full(values[nodes].shape, np.nan)
        for _ in range(_MOST_RESETS):
            if cyclic:
                _sweep_until_still(backup, touched, len(nodes), tell)
            values[nodes] = touched[level.here]
            mixtures = backup.mixtures()
            waiting = settle_times(times, level, values, cyclic, mixtures)
            # At simultaneous moves, an optimal strategy that waits may be found although another one does
            # not. The values then return after a reset, since they do not depend on themselves.
            back = mixtures is not None and np.allclose(values[nodes], before, _SETTLED, _SETTLED)
            if back or not waiting.any():
                break
            before = values[nodes]
            touched[level.here[waiting]] = 0.0  # removes what the first sweeps promised, and sweeps again
        else:
            raise not_converged(MOST_SWEEPS, float(np.abs(values[nodes[waiting]]).max()), backup.remedy)
        done += len(nodes)
    tell("solved", done, len(values))
    error = make(Level(graph, np.arange(len(values)), scratch)).error(values)
    values *= unit
    return values, times, error * unit


def _unit_of(vectors: Floats) -> float:
    """Returns a divisor of vectors, a power of 2 if all values are below 1, where tolerances are absolute."""
    greatest = float(np.abs(vectors).max())
    return float(2.0 ** np.floor(np.log2(greatest))) if 0.0 < greatest < 1.0 else 1.0


def is_settled_after(graph: Graph, values: Floats, moves: int) -> bool:
    """Returns whether the first position keeps its value if play collects nothing after `moves` moves."""
    make: type[Backup] = VectorBackup if values.ndim == 2 else NumberBackup
    backup = make(Level(graph, np.arange(len(values)), np.zeros(len(values), np.int32)))
    to_go, enough = graph.ending.copy(), _SETTLED * max(1.0, float(np.abs(values).max()))
    for move in range(moves):
        parts = backup.parts(to_go)
        chances, expected = next(parts)
        to_go[chances] = expected
        for places, found in list(parts):  # one move ahead, for both players
            to_go[places] = found
        if move % _SWEEPS_A_LOOK == 0 and np.abs(to_go - values).max() <= enough:
            return True
    return bool(np.abs(to_go[0] - values[0]).max() <= enough)


def _sweep_until_still(backup: Backup, values: Floats, count: int, tell: Progress) -> None:
    settling: Settling | None = None
    changes: list[float] = []
    transient = 2 * count + 1000  # number of sweeps in which values can travel through the whole level
    for sweeps in range(_SWEEPS_A_LOOK, MOST_SWEEPS, _SWEEPS_A_LOOK):
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
    raise not_converged(sweeps, change, backup.remedy)


def not_converged(sweeps: int, change: float, remedy: str) -> StarspielError:
    """Returns the error for values that still change by `change` after `sweeps` sweeps."""
    return StarspielError(
        f"the values do not converge: after {sweeps:,} sweeps one still changes by {change:.1e}. {remedy}"
    )
