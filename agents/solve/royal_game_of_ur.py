"""Solves the whole Royal Game of Ur by Finkel's rules in the native core, and stores its values.

It solves the positions with a throw to come, as seen by the player to throw
(native/solve/royal_game_of_ur.hpp). They are too many to store a key for each: a position is identified by
its place in the table, which the core computes.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import for_core
from starspiel.agents.processes import processors
from starspiel.agents.solve.cache import cached_table, forget_tables, why_not_kept
from starspiel.agents.solve.progress import Progress, Settling
from starspiel.agents.solve.solution import Solution, core_of_solution, versions
from starspiel.envs.base import TERMINAL, Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.games.royal_game_of_ur import TO_ROLL, RoyalGameOfUr, UrPosition
from starspiel.envs.rules import RulesState

#: With fewer pieces, the general solver is used.
_LEAST_PIECES = 4
#: A layer is solved when a sweep changes no value, and no number of throws, by more than this.
_VALUE_TOLERANCE, _THROWS_TOLERANCE = 1e-12, 1e-9
#: Moves are chosen again when following the chosen ones changes values by this share of what choosing them
#: did.
_SETTLED = 0.01
_MOST_SWEEPS = 10_000
#: Layers with at least this many positions use threads; smaller ones would be swept before the threads start.
_WORTH_THREADS = 100_000
#: Values in the file are 16-bit whole numbers: a value times this.
_SCALE = 32767
#: Bytes per position: a value, a number of throws, and the value for the file. The current layer needs 4 more
#: for each position's place, and 4 for the successor after the best move of each throw.
_BYTES = 8 + 8 + 2


def is_large_ur(game: Game) -> bool:
    """Returns whether this module solves the game."""
    state = game.new_initial_state()
    return (
        type(state) is RulesState
        and type(state.rules) is RoyalGameOfUr
        and state.rules.rule_set == "finkel"
        and state.rules.pieces >= _LEAST_PIECES
    )


def solve_ur(game: Game, memory_gb: float, tell: Progress) -> Solution:
    """Solves the game; progress is kept in the user's cache until it is finished. Raises StarspielError if it
    needs more than `memory_gb`, or if the core is missing.
    """
    started = time.perf_counter()
    core = native_status().module
    if core is None:
        raise StarspielError(
            f"{game.name} is solved by the native core, which is missing: {native_status().reason}"
        )
    state = game.new_initial_state()
    rules: RoyalGameOfUr = state.rules
    places = core.UrPlaces(rules.pieces)
    largest = max(sum(end - begin for begin, end in _ranges(places, layer)) for layer in places.layers)
    needed = (places.count * _BYTES + 4 * (1 + rules.dice) * largest) / 1e9
    tell(f"{places.count:,} positions, {needed:.2f} GB", 0, None)
    if needed > memory_gb:
        raise StarspielError(
            f"{game.name} takes {needed:.2f} GB to be solved, and {memory_gb:g} GB are allowed. Allow more "
            "memory or play with fewer pieces."
        )
    solver = core.UrSolver(for_core(core, state))
    name = f"royal_game_of_ur-{rules.pieces}-{rules.dice}"
    if why := why_not_kept():
        tell(f"progress cannot be saved ({why}): if interrupted, it starts again", 0, None)
    try:
        for done in _solved_layers(solver, name, tell):
            tell("positions", done, places.count)
    except KeyboardInterrupt:
        if not why:
            tell("interrupted: progress is saved, and the same command resumes from there", 0, None)
        raise
    start = solver.range(0, 0)[0]
    solution = UrSolution(
        game=game.name,
        value=float(solver.values[start]),
        states=places.count,
        residual=0.5 / _SCALE,
        seconds=time.perf_counter() - started,
        hashes=np.empty(0, np.uint64),
        values=np.rint(solver.values * _SCALE).astype(np.int16),
        times=np.empty(0),
        made_with=versions(),
        pieces=rules.pieces,
        throws=float(solver.throws[start]),
    )
    forget_tables(f"{name}-")
    return solution


def _solved_layers(solver: Any, name: str, tell: Progress) -> Iterator[int]:
    """Fills the solver's tables layer by layer, from the cache if possible; yields the number of positions
    done.
    """
    done, begun = 0, False
    for number, homes in enumerate(solver.layers):
        yield done
        parts = [slice(*part) for part in _ranges(solver, homes)]
        tables = [table[part] for table in (solver.values, solver.throws) for part in parts]
        count = sum(map(len, tables)) // 2

        def layer(
            number: int = number, tables: list[Any] = tables, count: int = count, before: int = done
        ) -> Any:
            nonlocal begun
            if before and not begun:
                held = f"{before:,} positions, layers 1 to {number} of {len(solver.layers)}, are solved"
                tell(f"resuming the run that was interrupted: {held}", 0, None)
            begun = True
            _settle(solver, number, processors() if count >= _WORTH_THREADS else 1, tell)
            return np.concatenate(tables)

        held = cached_table(f"{name}-layer-{number}", layer, compressed=False)
        for table, kept in zip(tables, np.split(held, np.cumsum([*map(len, tables)])[:-1]), strict=True):
            table[:] = kept
        done += count
    yield done


def _ranges(places: Any, homes: tuple[int, int]) -> list[tuple[int, int]]:
    """Returns the index ranges of a layer's positions: those with these numbers of pieces home, either way
    round.
    """
    return [places.range(*pair) for pair in sorted({homes, homes[::-1]})]


def _settle(solver: Any, layer: int, threads: int, tell: Progress) -> None:
    """Solves a layer; the layers with more pieces home must be solved already."""

    def sweep_until(tolerance: float, sweep: Callable[[], float], told: Settling | None = None) -> None:
        for _ in range(_MOST_SWEEPS):
            change = sweep()
            if told is not None:
                told.swept(change)
            if change <= tolerance:
                return
        raise StarspielError(f"The Royal Game of Ur does not settle within {_MOST_SWEEPS:,} sweeps.")

    def improve() -> float:
        change: float = solver.improve(layer, threads)
        if change > _VALUE_TOLERANCE:
            enough = max(_VALUE_TOLERANCE, _SETTLED * change)
            sweep_until(enough, lambda: float(solver.evaluate(layer, threads)))
        return change

    sweep_until(_VALUE_TOLERANCE, improve, Settling("values of a layer", _VALUE_TOLERANCE, tell))
    sweep_until(
        _THROWS_TOLERANCE,
        lambda: float(solver.evaluate_throws(layer, threads)),
        Settling("throws of a layer", _THROWS_TOLERANCE, tell),
    )


@dataclass(frozen=True)
class UrSolution(Solution):
    """The values of a Royal Game of Ur, by the place of a position in the table.

    Attributes:
        values: 16-bit numbers: the expected return of the player to throw, times 32767. They differ from the
            exact ones by up to `residual`. `value` is exact; `hashes` and `times` are empty.
        pieces: pieces per player.
        throws: the expected number of throws in a game.
    """

    layout: ClassVar[str] = "royal_game_of_ur"

    pieces: int = 7
    throws: float = 0.0

    def __call__(self, game: Game, state: Any) -> float:
        if state.current_player() == TERMINAL:
            return float(state.returns()[0])
        position: UrPosition = state.position
        if position.roll != TO_ROLL:
            best = max if position.mover == 0 else min
            return best(self(game, state.child(action)) for action in state.legal_actions())
        core, places = self._places
        value = float(self.values[places.place(for_core(core, state))]) / _SCALE
        return value if position.mover == 0 else -value

    @cached_property
    def _places(self) -> tuple[Any, Any]:
        core = core_of_solution(self.game)
        return core, core.UrPlaces(self.pieces)

    def time(self, game: Game, state: Any) -> tuple[bool, float]:
        """Returns (False, 0): times are not stored, so no move counts as sooner than an equal one."""
        return False, 0.0

    def __str__(self) -> str:
        return f"{super().__str__()}, {self.throws:.8g} throws a game"
