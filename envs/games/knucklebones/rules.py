"""Knucklebones: place dice in the columns of your grid; equal dice multiply, and destroy the opponent's.

The dice game played within Cult of the Lamb (Massive Monster, 2022).
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.arguments import whole_number
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.cache import Cache
from starspiel.envs.games.vector import entries_of, vector
from starspiel.envs.rules import Rules
from starspiel.envs.spec import spec_of

#: A column's dice, sorted from high to low, because their order does not matter.
Column = tuple[int, ...]
Grid = tuple[Column, ...]


class KnucklebonesPosition(NamedTuple):
    """Both grids, whose turn it is, the die to place (0 before the roll), and who acts."""

    grids: tuple[Grid, Grid]
    mover: int
    die: int
    acting: int


class Knucklebones(Rules[KnucklebonesPosition]):
    """Knucklebones for two players. Utility 1 for the higher score, -1 for the lower, 0 for a draw.

    A face that occurs c times in a column scores face * c * c. Placing a die removes all equal dice from the
    same column of the other grid. The game ends when a grid is full.

    Args:
        columns, rows: the size of each grid.
        sides: number of faces of the die.
    """

    def __init__(self, columns: int = 3, rows: int = 3, sides: int = 6) -> None:
        self.columns = whole_number("knucklebones: columns", columns, 1, 12)
        self.rows = whole_number("knucklebones: rows", rows, 1, 12)
        self.sides = whole_number("knucklebones: sides", sides, 1, 9)
        self.name = spec_of("knucklebones", columns=(columns, 3), rows=(rows, 3), sides=(sides, 6))
        self.num_distinct_actions = columns
        self.max_chance_outcomes = sides + 1
        self._chances = tuple((face, 1 / sides) for face in range(1, sides + 1))
        self._with_room = Cache(partial(_with_room, rows))
        self._shares = Cache(partial(_shares, sides, rows))
        self._turns = Cache(partial(_turn, sides))

    def initial(self) -> KnucklebonesPosition:
        empty: Grid = ((),) * self.columns
        return KnucklebonesPosition((empty, empty), 0, 0, CHANCE)

    def player(self, position: KnucklebonesPosition) -> int:
        return position.acting

    def actions(self, position: KnucklebonesPosition) -> Sequence[int]:
        return self._with_room[tuple(map(len, position.grids[position.mover]))]

    def chances(self, position: KnucklebonesPosition) -> Sequence[tuple[int, float]]:
        return self._chances

    def apply(self, position: KnucklebonesPosition, action: int) -> KnucklebonesPosition:
        grids, mover, die, acting = position
        if acting == CHANCE:
            return KnucklebonesPosition(grids, mover, action, mover)
        own = _with_column(grids[mover], action, _with_die(grids[mover][action], die))
        other = grids[1 - mover]
        if die in other[action]:
            other = _with_column(other, action, tuple(face for face in other[action] if face != die))
        rows = self.rows
        full = len(own[action]) == rows and all(len(column) == rows for column in own)
        grids = (own, other) if mover == 0 else (other, own)
        return KnucklebonesPosition(grids, 1 - mover, 0, TERMINAL if full else CHANCE)

    def utility(self, position: KnucklebonesPosition) -> float:
        first, second = map(score, position.grids)
        return float((first > second) - (first < second))

    def action_name(self, position: KnucklebonesPosition, player: int, action: int) -> str:
        return f"rolled {action}" if player == CHANCE else f"column {action + 1}"

    def draw(self, position: KnucklebonesPosition) -> str:
        # Player 1's grid is upside down, so that opposing columns face each other.
        lines = [f"{'>' if position.mover == 1 else ' '} player 1: {score(position.grids[1])}"]
        lines += [self._line(position.grids[1], row) for row in reversed(range(self.rows))]
        lines.append("    " + "".join(f"{column_score(c):^5}" for c in position.grids[1]))
        lines.append("    " + "-" * (5 * self.columns))
        lines.append("    " + "".join(f"{column_score(c):^5}" for c in position.grids[0]))
        lines += [self._line(position.grids[0], row) for row in range(self.rows)]
        lines.append(f"{'>' if position.mover == 0 else ' '} player 0: {score(position.grids[0])}")
        if position.acting == CHANCE:
            lines.append(f"  player {position.mover} rolls")
        elif position.acting != TERMINAL:
            lines.append(f"  player {position.mover} rolled {position.die}")
        return "\n".join(lines)

    def observation(self, position: KnucklebonesPosition, player: int) -> NDArray[np.float32]:
        """Returns dice / rows for each side (own first), column and face; the die one-hot; own turn; and
        whether to roll.
        """
        grids, mover, die, acting = position
        shares = self._shares
        entries = [shares[column] for column in grids[player] + grids[1 - player]]
        entries.append(self._turns[die, mover == player, acting == CHANCE])
        return vector(entries)

    def _line(self, grid: Grid, row: int) -> str:
        cells = (f"[{column[row]}]" if row < len(column) else " . " for column in grid)
        return "    " + "".join(f"{cell:^5}" for cell in cells)


def _with_room(rows: int, dice: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the columns that are not full, given the number of dice in each."""
    return tuple(column for column, lying in enumerate(dice) if lying < rows)


def _shares(sides: int, rows: int, column: Column) -> bytes:
    """Returns the number of dice of each face, divided by the rows."""
    return entries_of(column.count(face) / rows for face in range(1, sides + 1))


def _turn(sides: int, turn: tuple[int, bool, bool]) -> bytes:
    """Returns the die one-hot, followed by the other entries of `turn`."""
    die, *flags = turn
    return entries_of([*(die == face for face in range(1, sides + 1)), *flags])


def column_score(column: Column) -> int:
    """Returns the score of a column, in which a face that occurs c times scores face * c * c."""
    return sum(face * column.count(face) for face in column)


def score(grid: Grid) -> int:
    return sum(map(column_score, grid))


@lru_cache(maxsize=2**14)
def _with_die(column: Column, die: int) -> Column:
    return tuple(sorted((*column, die), reverse=True))


def _with_column(grid: Grid, index: int, column: Column) -> Grid:
    return (*grid[:index], column, *grid[index + 1 :])


def parameters(rules: Knucklebones) -> tuple[int, ...]:
    """Returns the parameters of the native core's model, in its order."""
    return rules.columns, rules.rows, rules.sides


def numbers(position: KnucklebonesPosition) -> tuple[int, ...]:
    """Returns the numbers of a position that the native core's model reads, in its order."""
    grids, mover, die, acting = position
    columns = (number for grid in grids for column in grid for number in (len(column), *column))
    return *columns, mover, acting, die
