"""2048: slide all tiles to one side; equal neighbours merge and score their sum; then a new tile appears.

Gabriele Cirulli's game (2014) with his rules: a tile merges at most once per move, and neither a tile nor a
number of moves ends the game. OpenSpiel's `2048` numbers moves and outcomes in the same way, but omits legal
moves after some merges.
"""

from collections.abc import Hashable, Sequence
from itertools import chain, compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.arguments import whole_number
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.cache import Cache
from starspiel.envs.games.vector import entries_of, vector
from starspiel.envs.rules import Rules
from starspiel.envs.spec import spec_of

UP, RIGHT, DOWN, LEFT = range(4)
_NAMES = ("up", "right", "down", "left")
#: The moves towards the ends of lines, whose cells are numbered from the top or from the left.
_TO_END = (RIGHT, DOWN)
#: The chances of a new 2 and of a new 4.
_NEW = (0.9, 0.1)
_MOST_CELLS = 64
#: A translation table for bytes of tiles: 1 for no tile, 0 for any tile.
_IS_EMPTY = bytes([1] + [0] * 255)

Line = tuple[int, ...]


class TwentyFortyEightPosition(NamedTuple):
    """The logarithms of the tiles row by row (0 for none, 1 for a 2), the points so far, and who acts."""

    tiles: tuple[int, ...]
    score: int
    acting: int


class TwentyFortyEight(Rules[TwentyFortyEightPosition]):
    """2048 for one player. Utility: the points of all merges.

    Args:
        rows, columns: the size of the board, 2 to 8 each.
    """

    num_players = 1
    num_distinct_actions = 4
    step_rewards = True

    def __init__(self, rows: int = 4, columns: int = 4) -> None:
        self.rows = whole_number("star_2048: rows", rows, 2, 8)
        self.columns = whole_number("star_2048: columns", columns, 2, 8)
        self.name = spec_of("star_2048", rows=(rows, 4), columns=(columns, 4))
        cells = rows * columns
        self.utility_range = (0.0, float(_greatest_score(cells)))
        self.max_chance_outcomes = 2 * cells
        across = [slice(start, start + columns) for start in range(0, cells, columns)]
        along = [slice(start, cells, columns) for start in range(columns)]
        # By move: the slices of its lines in the tiles.
        self._lines = (along, across, along, across)
        self._slides = Cache(_slides)
        self._chances = Cache(_chances)
        self._shown = tuple(_one_hot(cells + 2, tile) for tile in range(cells + 2))

    def initial(self) -> TwentyFortyEightPosition:
        return TwentyFortyEightPosition((0,) * (self.rows * self.columns), 0, CHANCE)

    def player(self, position: TwentyFortyEightPosition) -> int:
        return position.acting

    def actions(self, position: TwentyFortyEightPosition) -> Sequence[int]:
        return _MOVES[self._movable(position.tiles)]

    def chances(self, position: TwentyFortyEightPosition) -> Sequence[tuple[int, float]]:
        return self._chances[bytes(position.tiles).translate(_IS_EMPTY)]

    def apply(self, position: TwentyFortyEightPosition, action: int) -> TwentyFortyEightPosition:
        tiles, score, acting = position
        if acting != CHANCE:
            moved, points = self.moved(tiles, action)
            return TwentyFortyEightPosition(moved, score + points, CHANCE)
        cell, four = divmod(action, 2)
        first = not any(tiles)  # the game starts with two tiles
        after = list(tiles)
        after[cell] = 1 + four
        tiles = tuple(after)
        if first:
            return TwentyFortyEightPosition(tiles, score, CHANCE)
        over = 0 not in tiles and self._movable(tiles) == (0, 0)
        return TwentyFortyEightPosition(tiles, score, TERMINAL if over else 0)

    def utility(self, position: TwentyFortyEightPosition) -> float:
        return float(position.score)

    def collected(self, position: TwentyFortyEightPosition) -> float:
        return float(position.score)

    def position_key(self, position: TwentyFortyEightPosition) -> Hashable:
        """Returns the position without the points so far, which do not affect the future."""
        return position.tiles, position.acting

    def moved(self, tiles: tuple[int, ...], move: int) -> tuple[tuple[int, ...], int]:
        """Returns the tiles after a move, before a new one appears, and the points of its merges."""
        slides, end = self._slides, move in _TO_END
        after, points = list(tiles), 0
        for line in self._lines[move]:
            slid, paid, _ = slides[tiles[line]]
            after[line] = slid[end]
            points += paid
        return tuple(after), points

    def _movable(self, tiles: tuple[int, ...]) -> tuple[int, int]:
        """Returns where columns and rows can slide: 1 for the start plus 2 for the end."""
        slides = self._slides
        along = across = 0
        for line in self._lines[UP]:
            along |= slides[tiles[line]][2]
            if along == 3:
                break
        for line in self._lines[LEFT]:
            across |= slides[tiles[line]][2]
            if across == 3:
                break
        return along, across

    def action_name(self, position: TwentyFortyEightPosition, player: int, action: int) -> str:
        if player != CHANCE:
            return _NAMES[action]
        row, column = divmod(action // 2, self.columns)
        return f"{2 << action % 2} in row {row + 1}, column {column + 1}"

    def draw(self, position: TwentyFortyEightPosition) -> str:
        shown = [str(1 << tile) if tile else "." for tile in position.tiles]
        width = max(4, *map(len, shown))
        rows = [shown[start : start + self.columns] for start in range(0, len(shown), self.columns)]
        lines = ["  ".join(f"{cell:>{width}}" for cell in row) for row in rows]
        lines.append(f"points: {position.score}")
        return "\n".join(lines)

    def observation(self, position: TwentyFortyEightPosition, player: int) -> NDArray[np.float32]:
        """Returns each cell's tile one-hot (none and 2 to 2^(cells + 1)), and whether a new tile comes."""
        comes = _COMES if position.acting == CHANCE else _COMES_NOT
        return vector((*map(self._shown.__getitem__, position.tiles), comes))


def _slid(line: Line) -> tuple[Line, int]:
    """Returns a line after its tiles slide to its start, and the points of the merges; tiles merge once."""
    slid: list[int] = []
    points, mergeable = 0, False
    for tile in line:
        if tile == 0:
            continue
        if mergeable and slid[-1] == tile:
            slid[-1] += 1
            points += 2 << tile
            mergeable = False
        else:
            slid.append(tile)
            mergeable = True
    return (*slid, *[0] * (len(line) - len(slid))), points


def _slides(line: Line) -> tuple[tuple[Line, Line], int, int]:
    """Returns a line after sliding to its start and to its end, the points, and bits as in `_movable`.

    The points are the same in both directions: of k equal neighbours, k // 2 pairs merge.
    """
    (start, points), end = _slid(line), _slid(line[::-1])[0][::-1]
    return (start, end), points, (start != line) + 2 * (end != line)


def _chances(empty: bytes) -> tuple[tuple[int, float], ...]:
    """Returns the outcomes, a 2 or a 4 in each of the empty cells, which are marked by 1."""
    pairs = _PAIRS[empty.count(1)]
    return tuple(chain.from_iterable(compress(pairs, empty)))


def _pairs(empty: int) -> tuple[tuple[tuple[int, float], tuple[int, float]], ...]:
    """Returns for each cell the outcomes of a 2 and a 4, given the number of empty cells."""
    two, four = (chance / empty for chance in _NEW)
    return tuple(((2 * cell, two), (2 * cell + 1, four)) for cell in range(_MOST_CELLS))


def _greatest_score(cells: int) -> int:
    """Returns the points of the highest possible board: tiles from 2^(cells + 1) down to 4.

    A tile 2^k made only of twos has scored (k - 1) 2^k points, and 4 fewer for each four among them. The last
    new tile of each of these tiles was a four.
    """
    return sum((power - 1) << power for power in range(2, cells + 2)) - 4 * cells


def _one_hot(size: int, tile: int) -> bytes:
    return entries_of(tile == shown for shown in range(size))


_PAIRS = Cache(_pairs)
#: The legal moves, by the directions in which columns and rows can slide.
_MOVES = {
    (along, across): tuple(
        move
        for move, bit in ((UP, along & 1), (RIGHT, across & 2), (DOWN, along & 2), (LEFT, across & 1))
        if bit
    )
    for along in range(4)
    for across in range(4)
}
_COMES, _COMES_NOT = entries_of([1.0]), entries_of([0.0])


def parameters(rules: TwentyFortyEight) -> tuple[int, ...]:
    """Returns the parameters of the native core's model, in its order."""
    return rules.rows, rules.columns


def numbers(position: TwentyFortyEightPosition) -> tuple[int, ...]:
    """Returns the numbers of a position that the native core's model reads, in its order."""
    return *position.tiles, position.score, position.acting
