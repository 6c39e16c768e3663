"""Dice: get four (by default) in a line on a grid; the die names the row or column where the stone must go.

The test game of Hauk's *-minimax thesis and of Veness & Blair, "Effective Use of Transposition Tables in
Stochastic Game Tree Search", CIG 2007. docs/games/dice.md describes the variant.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.arguments import whole_number
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.cache import Cache
from starspiel.envs.errors import SpecError
from starspiel.envs.games.vector import entries_of, vector
from starspiel.envs.rules import Rules
from starspiel.envs.spec import spec_of

#: The value of `die` before it is rolled.
TO_ROLL = -1


class DicePosition(NamedTuple):
    """Each player's stones (bit row * size + column), whose turn it is, the die (from 0), and who acts."""

    stones: tuple[int, int]
    mover: int
    die: int
    acting: int


class Dice(Rules[DicePosition]):
    """Dice on a square grid: player 0's die names a row, player 1's a column. Utility 1, 0 or -1.

    Args:
        size: number of rows and columns of the grid, and of faces of the die.
        line: number of stones in a row, column or diagonal that win.
        full: what happens if a row or column is full: the turn is lost if the die names it ("pass"), or only
            rows or columns with room are rolled ("reroll").
    """

    def __init__(self, size: int = 5, line: int = 4, full: str = "pass") -> None:
        self.size = whole_number("dice: size", size, 2, 19)
        self.line = whole_number("dice: line", line, 2, size)
        if full not in ("pass", "reroll"):
            raise SpecError(f"dice: full must be one of pass, reroll, got {full!r}.")
        self.full = full
        self.name = spec_of("dice", size=(size, 5), line=(line, 4), full=(full, "pass"))
        self.num_distinct_actions = size + 1
        self.max_chance_outcomes = size
        self._pass = size
        self._every = (1 << size * size) - 1
        self._lanes = (
            tuple(sum(1 << row * size + column for column in range(size)) for row in range(size)),
            tuple(sum(1 << row * size + column for row in range(size)) for column in range(size)),
        )
        #: For each cell, the winning lines through it, as bits.
        self.lines_through = _lines_through(size, line)
        self._chances = tuple((face, 1 / size) for face in range(size))
        self._places = Cache(partial(_places, size))
        # By player: the entries of a lane that is shifted to the first lane, and the shifts of all lanes.
        self._lane_entries = (Cache(partial(_lane, size, 1)), Cache(partial(_lane, size, size)))
        self._shifts = range(0, size * size, size), range(size)
        self._turns = Cache(partial(_turn, size))

    def initial(self) -> DicePosition:
        return DicePosition((0, 0), 0, TO_ROLL, CHANCE)

    def player(self, position: DicePosition) -> int:
        return position.acting

    def actions(self, position: DicePosition) -> Sequence[int]:
        """Returns the free places along the named row or column, counted from its start, or the pass."""
        stones, mover, die, _ = position
        return self._places[mover, die, (stones[0] | stones[1]) & self._lanes[mover][die]]

    def chances(self, position: DicePosition) -> Sequence[tuple[int, float]]:
        if self.full == "pass":
            return self._chances
        taken = position.stones[0] | position.stones[1]
        roomy = [die for die, lane in enumerate(self._lanes[position.mover]) if lane & ~taken]
        return [(die, 1 / len(roomy)) for die in roomy]

    def apply(self, position: DicePosition, action: int) -> DicePosition:
        stones, mover, die, acting = position
        if acting == CHANCE:
            return DicePosition(stones, mover, action, mover)
        if action == self._pass:
            return DicePosition(stones, 1 - mover, TO_ROLL, CHANCE)
        cell = die * self.size + action if mover == 0 else action * self.size + die
        own = stones[mover] | 1 << cell
        stones = (own, stones[1]) if mover == 0 else (stones[0], own)
        over = stones[0] | stones[1] == self._every or self._has_line(own, cell)
        return DicePosition(stones, 1 - mover, TO_ROLL, TERMINAL if over else CHANCE)

    def utility(self, position: DicePosition) -> float:
        last = 1 - position.mover
        won = any(self._has_line(position.stones[last], cell) for cell in range(self.size**2))
        return 0.0 if not won else 1.0 if last == 0 else -1.0

    def action_name(self, position: DicePosition, player: int, action: int) -> str:
        if player == CHANCE:
            return f"rolled {action + 1}"
        if action == self._pass:
            return "pass"
        row, column = divmod(_cells(self.size, position.mover, position.die)[action], self.size)
        return f"row {row + 1} column {column + 1}"

    def draw(self, position: DicePosition) -> str:
        size = self.size
        lines = ["    " + " ".join(f"{column + 1:>2}" for column in range(size))]
        for row in range(size):
            cells = " ".join(" " + self._sign(position, row * size + column) for column in range(size))
            lines.append(f"{row + 1:>3} {cells}")
        lines.append(
            f"player 0 is X and rolls rows, player 1 is O and rolls columns; {self.line} in a line win"
        )
        if position.acting in (0, 1):
            lane = "row" if position.mover == 0 else "column"
            lines.append(f"> player {position.mover} rolled {lane} {position.die + 1}")
        elif position.acting == CHANCE:
            lines.append(f"> player {position.mover} rolls")
        return "\n".join(lines)

    def observation(self, position: DicePosition, player: int) -> NDArray[np.float32]:
        """Returns own stones, other stones and the cells that the die allows (one entry per cell), own turn,
        and whether to roll.

        Rows and columns are swapped for player 1, so that the die names a row from either side.
        """
        stones, mover, die, acting = position
        first, shifts, lanes = self._lanes[player][0], self._shifts[player], self._lane_entries[player]
        own, other = stones[player], stones[1 - player]
        entries = [lanes[own >> shift & first] for shift in shifts]
        entries += [lanes[other >> shift & first] for shift in shifts]
        entries.append(self._turns[acting, mover == player, die])
        return vector(entries)

    def _has_line(self, stones: int, cell: int) -> bool:
        for line in self.lines_through[cell]:  # noqa: SIM110 - half the time of any()
            if stones & line == line:
                return True
        return False

    def _sign(self, position: DicePosition, cell: int) -> str:
        if position.stones[0] >> cell & 1:
            return "X"
        if position.stones[1] >> cell & 1:
            return "O"
        named = position.acting in (0, 1) and self._lanes[position.mover][position.die] >> cell & 1
        return "*" if named else "."


def _cells(size: int, mover: int, die: int) -> range:
    """Returns the cells of the named row or column, from its start."""
    return range(die * size, die * size + size) if mover == 0 else range(die, size * size, size)


def _places(size: int, seen: tuple[int, int, int]) -> tuple[int, ...]:
    """Returns the legal actions by mover, die and the cells taken there: the free places, or the pass."""
    mover, die, taken = seen
    cells = enumerate(_cells(size, mover, die))
    return tuple(place for place, cell in cells if not taken >> cell & 1) or (size,)


def _lane(size: int, step: int, bits: int) -> bytes:
    """Returns the cells of the first row (`step` 1) or column (`step` is the size) as entries."""
    return entries_of(bits >> place * step & 1 for place in range(size))


def _turn(size: int, turn: tuple[int, bool, int]) -> bytes:
    """Returns the cells that the die allows, own turn, and whether to roll.

    `turn` is who acts, own turn, and the die.
    """
    acting, own_turn, die = turn
    board = np.zeros((size, size), np.float32)
    if acting in (0, 1):
        (board if own_turn else board.T)[die] = 1
    return board.tobytes() + entries_of((own_turn, acting == CHANCE))


def _lines_through(size: int, length: int) -> tuple[tuple[int, ...], ...]:
    """Returns for each cell the winning lines through it, as bits."""
    through: list[list[int]] = [[] for _ in range(size * size)]
    for row in range(size):
        for column in range(size):
            for down, across in ((0, 1), (1, 0), (1, 1), (1, -1)):
                end_row, end_column = row + down * (length - 1), column + across * (length - 1)
                if end_row >= size or not 0 <= end_column < size:
                    continue
                cells = [(row + i * down) * size + column + i * across for i in range(length)]
                for cell in cells:
                    through[cell].append(sum(1 << c for c in cells))
    return tuple(map(tuple, through))


def parameters(rules: Dice) -> tuple[int, ...]:
    """Returns the parameters of the native core's model, in its order."""
    return rules.size, rules.line, rules.full == "reroll"


def numbers(position: DicePosition) -> tuple[int, ...]:
    """Returns the numbers of a position that the native core's model reads, in its order."""
    # Cells beyond the core's 64 are omitted: the core refuses such boards by their size.
    halves = (stones >> shift & 2**32 - 1 for stones in position.stones for shift in (0, 32))
    return *halves, position.mover, position.acting, position.die
