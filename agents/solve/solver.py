"""Solves games exactly: estimates the size, enumerates all positions, and computes their values."""

import math
import time
from numbers import Real
from typing import Any

import numpy as np

from starspiel.agents.solve.levels import Floats
from starspiel.agents.solve.native import core_with_model, solved_in_core
from starspiel.agents.solve.positions import (
    MOST_CHANCES,
    Graph,
    cut_off_at_times,
    enumerate_positions,
    is_paid,
)
from starspiel.agents.solve.progress import Progress
from starspiel.agents.solve.royal_game_of_ur import is_large_ur, solve_ur
from starspiel.agents.solve.size import estimate_size
from starspiel.agents.solve.solution import Solution, key_hash, versions
from starspiel.agents.solve.values import is_settled_after, values_to_go
from starspiel.agents.solve.vector_solution import VectorSolution
from starspiel.envs.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Game,
    check_in_turn,
    has_vector_values,
    possible_outcomes,
)
from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.keys import Counted
from starspiel.envs.unchanged import refuse_changes


def solve(game: Any, *, memory_gb: float = 4.0, progress: Progress = lambda what, done, of: None) -> Solution:
    """Returns the exact value of every reachable position of `game`; uses the native core if it has a model.

    In games whose values are vectors, each player maximises their own return. The solution is then a
    `VectorSolution`: one equilibrium, chosen by the rule of `VectorBackup`.

    Args:
        game: anything that `load_game` accepts, with explicit chances and keys for its decision nodes.
        memory_gb: the most memory that the positions may take; a larger game, by estimate, is refused.
        progress: called now and then with a description, the amount done, and its total (None if unknown).

    Raises:
        UnsupportedGameError: the game has no keys, or its chances cannot be listed. Or its values are vectors
            and it pays rewards on the way or discounts them. Or all move at once and it is not zero-sum.
        StarspielError: the game is too large for `memory_gb`, its values do not converge, or they depend on a
            cut-off that is not part of the keys.
    """
    started = time.perf_counter()
    game = load_game(game)
    if not isinstance(memory_gb, Real) or isinstance(memory_gb, bool) or not 0 < memory_gb < math.inf:
        raise StarspielError(f"memory_gb must be a finite number of GB above 0, got {shown(memory_gb)}.")
    _refuse_unsolvable(game)
    refuse_changes(game, game.new_initial_state())
    if is_large_ur(game):
        return solve_ur(game, memory_gb, progress)
    core = core_with_model(game)
    estimate = estimate_size(game, memory_gb, in_core=core is not None)
    progress(str(estimate), 0, None)
    estimate.refuse_too_large(game)
    return _solved(game, core, memory_gb, progress, started)


def solve_small(game: Game, most_bytes: int) -> Solution | None:
    """Returns the solution if the native core can solve the game within `most_bytes`; otherwise None."""
    core = core_with_model(game)
    if core is None:
        return None
    try:
        return _solved(game, core, most_bytes / 1e9, lambda what, done, of: None, time.perf_counter())
    except StarspielError:
        return None


def _solved(game: Game, core: Any | None, memory_gb: float, progress: Progress, started: float) -> Solution:
    if core is None:
        graph = enumerate_positions(game, memory_gb, progress)
        values, times, residual = values_to_go(graph, progress)
    else:
        graph, (values, times, residual) = solved_in_core(core, game, memory_gb, progress)
    _refuse_near_cut_off(game, graph, values)
    nodes = np.flatnonzero((graph.player >= 0) | (graph.player == SIMULTANEOUS))
    nodes = nodes[np.argsort(graph.hashes[nodes])]
    hashes = graph.hashes[nodes]
    if (hashes[1:] == hashes[:-1]).any():
        raise StarspielError("two positions have one 64-bit hash; this should never be seen.")
    in_vectors = values.ndim == 2
    make: Any = VectorSolution if in_vectors else Solution
    solution: Solution = make(
        game=game.name,
        value=tuple(values[0].tolist()) if in_vectors else float(values[0]),
        states=len(graph.player),
        residual=residual,
        seconds=time.perf_counter() - started,
        hashes=hashes,
        values=values[nodes],
        times=times[nodes],
        made_with=versions(),
        in_core=core is not None,
    )
    return solution


def _refuse_near_cut_off(game: Game, graph: Graph, values: Floats) -> None:
    """Raises StarspielError if values depend on a cut-off that is not part of the keys."""
    moves_left = getattr(game, "moves_left", None)
    state = _first_decision(game)
    if moves_left is None or state is None or isinstance(game.key(state), Counted):
        return
    if not is_settled_after(graph, values, moves_left(state)):
        raise cut_off_at_times(game)


def _first_decision(game: Game) -> Any | None:
    """Returns a first state in which players act; None if none is within `MOST_CHANCES` chance events."""
    state = game.new_initial_state()
    for _ in range(MOST_CHANCES):
        if not state.is_chance_node():
            break
        state = state.child(possible_outcomes(state)[0][0])
    return None if state.current_player() in (CHANCE, TERMINAL) else state


def _refuse_unsolvable(game: Game) -> None:
    if has_vector_values(game):
        check_in_turn(game, "solve with vectors of values")
        if is_paid(game):
            raise UnsupportedGameError(
                f"{game.name} cannot be solved: its values are vectors, and it pays rewards on the way or "
                "discounts them. Play it with a search."
            )
    if not game.explicit_chance:
        raise UnsupportedGameError(
            f"{game.name} cannot be solved: its chances can only be sampled. Play it with a sampling search."
        )
    state = _first_decision(game)
    if state is None:
        return
    key = game.key(state)
    if key is None:
        raise UnsupportedGameError(
            f"{game.name} cannot be solved: no sound key is known that tells which of its positions are "
            "equal. Play it with a search."
        )
    key_hash(key)  # raises for keys that could not be found again in the solution
