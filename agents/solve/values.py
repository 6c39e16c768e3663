"""The values of positions by value iteration on arrays.

The graph is solved one level of its strongly connected components at a time, ends first, so that no sweep
touches a position whose successors are still wrong. Play that goes on for ever collects nothing more.
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
#: How often values that nobody collects are taken back before sweeps go on.
_MOST_RESETS = 100
#: A cut-off that changes no more of a value than this part does not matter.
_SETTLED = 1e-9
_SWEEPS_A_LOOK = 8


def times_to_go(graph: Graph, values: Floats) -> Floats:
    """The times of all positions, given their values to go, which are numbers."""
    scratch, times = np.zeros(len(values), np.int32), np.zeros(len(values))
    for nodes, cyclic in levels_of(graph):
        settle_times(times, Level(graph, nodes, scratch), values, cyclic)
    return times


def values_to_go(graph: Graph, tell: Progress) -> tuple[Floats, Floats, float]:
    """(values to go of all positions, their times, the greatest error of a value's equation)."""
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
            # Where players move at once, a best strategy that waits may be found though another goes on: then
            # the values come back, as they do not rest on themselves.
            back = mixtures is not None and np.allclose(values[nodes], before, _SETTLED, _SETTLED)
            if back or not waiting.any():
                break
            before = values[nodes]
            touched[level.here[waiting]] = 0.0  # what the first sweeps promised; sweep on without it
        else:
            raise not_converged(MOST_SWEEPS, float(np.abs(values[nodes[waiting]]).max()), backup.remedy)
        done += len(nodes)
    tell("solved", done, len(values))
    error = make(Level(graph, np.arange(len(values)), scratch)).error(values)
    values *= unit
    return values, times, error * unit


def _unit_of(vectors: Floats) -> float:
    """What vectors are divided by, as tolerances count values below 1 as 1: if all are, a power of 2."""
    greatest = float(np.abs(vectors).max())
    return float(2.0 ** np.floor(np.log2(greatest))) if 0.0 < greatest < 1.0 else 1.0


def is_settled_after(graph: Graph, values: Floats, moves: int) -> bool:
    """Whether the first position is worth as much if play of more than `moves` moves brings nothing."""
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
    transient = 2 * count + 1000  # sweeps in which values travel as far as they can
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
    """The error that values still change by `change` after so many sweeps."""
    return StarspielError(
        f"the values do not converge: after {sweeps:,} sweeps one still changes by {change:.1e}. {remedy}"
    )
