"""The Royal Game of Ur solved whole: in the core (native/solve/royal_game_of_ur.hpp), and its values on file.

What is solved are the positions where somebody is to throw, seen from who that is. From four pieces on they
are too many for the solver of all games, which keeps a key of each; here the place of a position in the table
tells which it is.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import comb, factorial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.native_loader import native_status
from starspiel.agents.processes import processors
from starspiel.agents.solve.cache import cached_table, forget_tables, why_not_kept
from starspiel.agents.solve.positions import Progress
from starspiel.agents.solve.settling import Settling
from starspiel.agents.solve.solution import Solution, versions
from starspiel.envs.base import TERMINAL, Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.games.royal_game_of_ur import SHARED, TO_ROLL, RoyalGameOfUr, UrPosition
from starspiel.envs.rules import RulesState

#: Fewer pieces are left to the solver of all games.
_LEAST_PIECES = 4
#: A layer is solved when a sweep changes no value by more than this, and no number of throws.
_VALUE_TOLERANCE, _THROWS_TOLERANCE = 1e-12, 1e-9
#: Moves are chosen anew when following the ones chosen changes values by this part of what choosing them did.
_SETTLED = 0.01
_MOST_SWEEPS = 10_000
#: Positions of a layer whose sweeps are worth threads; smaller ones are swept before threads have begun.
_WORTH_THREADS = 100_000
#: Values on file are whole numbers of 16 bits: a value times this.
_SCALE = 32767
#: What solving takes for each position: a value, a number of throws, and the value on file. In the layer at
#: hand, 4 more for where it stands, and for where the best move of each throw leads.
_BYTES = 8 + 8 + 2

#: Squares of a player's own, by bit of a set: 1-4, 13 and 14.
_PRIVATE = (1, 2, 3, 4, 13, 14)
_BOTH = len(SHARED)


def is_large_ur(game: Game) -> bool:
    """Whether the game is a Royal Game of Ur that is solved here."""
    state = game.new_initial_state()
    return (
        type(state) is RulesState
        and type(state.rules) is RoyalGameOfUr
        and state.rules.pieces >= _LEAST_PIECES
    )


def solve_ur(game: Game, memory_gb: float, tell: Progress) -> Solution:
    """The values of all positions.

    What is solved is kept in the user's cache until all of it is: solving that was ended goes on from there.

    Raises StarspielError where it takes more than `memory_gb`, or the core is not there.
    """
    started = time.perf_counter()
    rules: RoyalGameOfUr = game.new_initial_state().rules
    positions = count_positions(rules.pieces)
    moves = 4 * (1 + rules.dice) * max(_layers(rules.pieces).values())
    needed = (positions * _BYTES + moves) / 1e9
    tell(f"{positions:,} positions, {needed:.2f} GB", 0, None)
    if needed > memory_gb:
        raise StarspielError(
            f"{game.name} takes {needed:.2f} GB to be solved, and {memory_gb:g} GB are allowed. Allow more "
            "memory or play with fewer pieces."
        )
    core = native_status().module
    if core is None:
        raise StarspielError(
            f"{game.name} is solved by the native core, which is not there: {native_status().reason}"
        )
    solver = core.UrSolver(rules.pieces, rules.dice)
    name = f"royal_game_of_ur-{rules.pieces}-{rules.dice}"
    if why := why_not_kept():
        tell(f"no part of it can be kept ({why}): ended early, it begins again", 0, None)
    try:
        for done in _solved_layers(solver, name, tell):
            tell("positions", done, positions)
    except KeyboardInterrupt:
        if not why:
            tell("ended: what is solved is kept, and the same command goes on from there", 0, None)
        raise
    start = solver.range(0, 0)[0]
    solution = UrSolution(
        game=game.name,
        value=float(solver.values[start]),
        states=positions,
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
    """Fills the solver's tables layer by layer, from the cache where it can: how many positions are done."""
    done, begun = 0, False
    for number, (home, other_home) in enumerate(solver.layers):
        yield done
        parts = [slice(*solver.range(*pair)) for pair in sorted({(home, other_home), (other_home, home)})]

        def layer(number: int = number, parts: list[slice] = parts, done: int = done) -> NDArray[np.float64]:
            nonlocal begun
            if done and not begun:
                held = f"{done:,} positions, layers 1 to {number} of {len(solver.layers)}, are solved"
                tell(f"it goes on where an earlier run ended: {held}", 0, None)
            begun = True
            count = sum(part.stop - part.start for part in parts)
            _settle(solver, number, processors() if count >= _WORTH_THREADS else 1, tell)
            return np.concatenate([table[part] for table in (solver.values, solver.throws) for part in parts])

        at = 0
        held = cached_table(f"{name}-layer-{number}", layer, compressed=False)
        for table in (solver.values, solver.throws):
            for part in parts:
                size = part.stop - part.start
                table[part] = held[at : at + size]
                at += size
        done += at // 2
    yield done


def _settle(solver: Any, layer: int, threads: int, tell: Progress) -> None:
    """Solves a layer, those with more pieces home being solved."""
    settling = Settling("values of a layer", _VALUE_TOLERANCE, tell)

    def sweep_until(tolerance: float, sweep: Callable[[int, int], float]) -> None:
        for _ in range(_MOST_SWEEPS):
            if sweep(layer, threads) <= tolerance:
                return
        raise StarspielError(f"The Royal Game of Ur does not settle within {_MOST_SWEEPS:,} sweeps.")

    def improve(layer: int, threads: int) -> float:
        change: float = solver.improve(layer, threads)
        if change > _VALUE_TOLERANCE:
            sweep_until(max(_VALUE_TOLERANCE, _SETTLED * change), solver.evaluate)
        settling.swept(change)
        return change

    sweep_until(_VALUE_TOLERANCE, improve)
    settling = Settling("throws of a layer", _THROWS_TOLERANCE, tell)

    def evaluate_throws(layer: int, threads: int) -> float:
        change: float = solver.evaluate_throws(layer, threads)
        settling.swept(change)
        return change

    sweep_until(_THROWS_TOLERANCE, evaluate_throws)


def count_positions(pieces: int) -> int:
    """Positions where somebody is to throw, seen from who that is; without those where somebody has won."""
    return sum(_layers(pieces).values())


def _layers(pieces: int) -> Counter[tuple[int, ...]]:
    """How many of them have so many pieces home on the one side and on the other; the fewer first."""
    layers: Counter[tuple[int, ...]] = Counter()
    for own_private, other_private, own_shared, other_shared in product(
        range(7), range(7), range(9), range(9)
    ):
        own, other = own_private + own_shared, other_private + other_shared
        free = _BOTH - own_shared - other_shared
        if free < 0:
            continue
        boards = comb(6, own_private) * comb(6, other_private) * factorial(_BOTH)
        boards //= factorial(own_shared) * factorial(other_shared) * factorial(free)
        for home, other_home in product(range(pieces), repeat=2):
            if own + home <= pieces and other + other_home <= pieces:
                layers[tuple(sorted((home, other_home)))] += boards
    return layers


@dataclass(frozen=True)
class UrSolution(Solution):
    """The values of a Royal Game of Ur, by the place of a position.

    Attributes:
        states: positions where somebody is to throw, seen from who that is.
        values: of 16 bits: the expected return of whoever is to throw, times 32767; so they miss the exact
            one by up to `residual`. `value` is the exact one.
        hashes, times: empty.
        pieces: of each player.
        throws: the expected number of throws of a game.
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
        value = float(self.values[self._places(position)]) / _SCALE
        return value if position.mover == 0 else -value

    def time(self, game: Game, state: Any) -> tuple[bool, float]:
        """(False, 0): times are not on file, and among equal moves none is sooner."""
        return False, 0.0

    @cached_property
    def _places(self) -> "_Places":
        return _Places(self.pieces)

    def __str__(self) -> str:
        return f"{super().__str__()}, {self.throws:.8g} throws a game"


class _Places:
    """Where positions stand in the table: the twin of UrSolver::Index in the core."""

    def __init__(self, pieces: int) -> None:
        sets = sorted(range(64), key=int.bit_count)
        self._rank = {taken: place for place, taken in enumerate(sets)}
        up_to = [sum(taken.bit_count() <= most for taken in sets) for most in range(9)]
        self._pieces, self._up_to = pieces, up_to
        self._ternary = [sum(3**bit for bit in range(_BOTH) if bits >> bit & 1) for bits in range(2**_BOTH)]
        own, other = np.array(
            [
                [sum((number // 3**bit % 3 == side) for bit in range(_BOTH)) for side in (1, 2)]
                for number in range(3**_BOTH)
            ]
        ).T
        sizes = []
        for home, other_home in product(range(pieces), repeat=2):
            room, other_room = pieces - home - own, pieces - other_home - other
            size = np.array(up_to)[np.maximum(room, 0)] * np.array(up_to)[np.maximum(other_room, 0)]
            sizes.append(np.where((room < 0) | (other_room < 0), 0, size))
        ends = np.cumsum(np.concatenate(sizes))
        self._begins = np.concatenate(([0], ends[:-1])).reshape(pieces, pieces, -1)

    def __call__(self, position: UrPosition) -> int:
        """The place of a position where somebody is to throw and nobody has won."""
        mover = position.mover
        own, other = position.squares[mover], position.squares[1 - mover]
        home, other_home = position.home[mover], position.home[1 - mover]
        shared = self._ternary[own >> SHARED.start & 255] + 2 * self._ternary[other >> SHARED.start & 255]
        others = self._up_to[self._pieces - other_home - (other >> SHARED.start & 255).bit_count()]
        ranks = self._rank[_private(own)], self._rank[_private(other)]
        return int(self._begins[home, other_home, shared]) + ranks[0] * others + ranks[1]


def _private(squares: int) -> int:
    return sum((squares >> square & 1) << bit for bit, square in enumerate(_PRIVATE))
