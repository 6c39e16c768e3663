"""Solves games that the native core has a model of in the core: see native/solve/graph.hpp and values.hpp."""

from typing import Any

import numpy as np

from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import for_core, why_not_played
from starspiel.agents.solve.backups import NumberBackup
from starspiel.agents.solve.levels import Floats
from starspiel.agents.solve.positions import Graph, cut_off_at_times, used_up
from starspiel.agents.solve.progress import Progress
from starspiel.agents.solve.times import TIE_TOLERANCE
from starspiel.agents.solve.values import MOST_SWEEPS, not_converged, times_to_go, values_to_go
from starspiel.envs.base import Game, has_vector_values


def core_with_model(game: Game) -> Any | None:
    """Returns the core if it has a model of the game, from its initial state on; otherwise None."""
    core, state = native_status().module, game.new_initial_state()
    if core is None or game.discount != 1.0 or why_not_played(core, state, game) is not None:
        return None
    try:
        core.position_hashes(for_core(core, state))
    except ValueError:
        return None
    return core


def solved_in_core(
    core: Any, game: Game, memory_gb: float, tell: Progress
) -> tuple[Graph, tuple[Floats, Floats, float]]:
    """Returns the graph of a game that the core has a model of, and the result of `values_to_go` for it.

    Raises StarspielError as in `enumerate_positions` and `values_to_go`.
    """
    positions = 0

    def told(what: str, done: int) -> None:
        nonlocal positions
        if what == "positions":
            positions = done
        tell(what, done, None if what == "positions" else max(positions, done))

    found = core.solve(for_core(core, game.new_initial_state()), int(memory_gb * 1e9), told)
    if found.mixed:
        raise cut_off_at_times(game)
    if found.waiting:
        raise used_up(game, len(found.player), found.waiting, memory_gb)
    in_vectors = has_vector_values(game)
    graph = Graph(
        hashes=found.hashes,
        player=found.player,
        ending=found.ending.reshape(-1, game.num_players) if in_vectors else found.ending,
        first=found.first,
        target=found.target,
        weight=found.weight,
        reward=found.reward,
        ratio=np.ones(len(found.reward)),
        columns=np.empty(0, np.int32),
    )
    if in_vectors:
        return graph, values_to_go(graph, tell)
    if found.change:
        raise not_converged(MOST_SWEEPS, found.change, NumberBackup.remedy)
    times = found.times if len(found.times) else times_to_go(graph, found.values)
    if (np.isneginf(times) & (np.abs(found.values) > TIE_TOLERANCE)).any():
        return graph, values_to_go(graph, tell)
    return graph, (found.values, times, found.residual)
