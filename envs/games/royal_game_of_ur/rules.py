"""The Royal Game of Ur by Irving Finkel's rules: a race of pieces along a path that crosses the opponent's.

Rules: I. L. Finkel, "On the rules for the Royal Game of Ur", in Ancient Board Games in Perspective, British
Museum Press, 2007.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starspiel.envs import raster
from starspiel.envs.arguments import whole_number
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.games.parameters import spec_of
from starspiel.envs.games.vector import Made, entries_of, vector
from starspiel.envs.rules import Rules

#: Squares 1-4 and 13-14 of the path are a player's own, 5-12 are shared; 15 is home.
SHARED = range(5, 13)
HOME = 15
ROSETTES = frozenset({4, 8, 14})
#: The rosette on the shared stretch, where a piece cannot be taken.
SAFE = 8
_EXPOSED = sum(1 << square for square in SHARED if square != SAFE)
PASS = 15
_ONLY_PASS = (PASS,)
#: The dice have not been thrown.
TO_ROLL = -1


class UrPosition(NamedTuple):
    """Whose turn, the throw, and for each player the squares taken (bit s: square s) and the pieces home."""

    mover: int
    roll: int
    squares: tuple[int, int]
    home: tuple[int, int]


class RoyalGameOfUr(Rules[UrPosition]):
    """The Royal Game of Ur for two players. Utility 1 for the winner, -1 for the loser.

    Action s moves the piece on square s, 0 enters a new one, 15 passes where no piece can move.

    Args:
        pieces: of each player.
        dice: how many two-sided dice are thrown; a throw counts those that show their mark.
    """

    num_distinct_actions = 16
    says_quiet = True

    def __init__(self, pieces: int = 7, dice: int = 4) -> None:
        self.pieces = whole_number("royal_game_of_ur: pieces", pieces, 1, 7)
        self.dice = whole_number("royal_game_of_ur: dice", dice, 1, 8)
        self.name = spec_of("royal_game_of_ur", pieces=(pieces, 7), dice=(dice, 4))
        self.max_chance_outcomes = dice + 1
        self._chances = tuple((roll, comb(dice, roll) / 2**dice) for roll in range(dice + 1))
        self._half = Made(_half)
        self._pieces_off = Made(partial(_pieces_off, pieces))
        self._turns = Made(partial(_turn, dice))

    def initial(self) -> UrPosition:
        return UrPosition(0, TO_ROLL, (0, 0), (0, 0))

    def player(self, position: UrPosition) -> int:
        if position.roll != TO_ROLL:
            return position.mover
        # Only the player who has just moved can have come home; after a last move the turn has passed on.
        return TERMINAL if self.pieces in position.home else CHANCE

    def actions(self, position: UrPosition) -> Sequence[int]:
        mover, roll, squares, home = position
        if roll == 0:
            return _ONLY_PASS
        own = squares[mover]
        blocked = own | squares[1 - mover] & 1 << SAFE
        # Bit 0 for a piece in hand, bit s for one on square s; home has room for all.
        pieces = own | (own.bit_count() + home[mover] < self.pieces)
        return _moves(pieces & ~(blocked >> roll) & (2 << HOME - roll) - 1)

    def chances(self, position: UrPosition) -> Sequence[tuple[int, float]]:
        return self._chances

    def apply(self, position: UrPosition, action: int) -> UrPosition:
        mover, roll, squares, home = position
        if roll == TO_ROLL:
            return UrPosition(mover, action, squares, home)
        if action == PASS:
            return UrPosition(1 - mover, TO_ROLL, squares, home)
        target = action + roll
        own, other = squares[mover], squares[1 - mover]
        own &= ~(1 << action)  # bit 0, the pieces in hand, is never set
        if target == HOME:
            home = (home[0] + 1, home[1]) if mover == 0 else (home[0], home[1] + 1)
        else:
            own |= 1 << target
            if target in SHARED:
                other &= ~(1 << target)
        squares = (own, other) if mover == 0 else (other, own)
        return UrPosition(mover if target in ROSETTES else 1 - mover, TO_ROLL, squares, home)

    def utility(self, position: UrPosition) -> float:
        return 1.0 if position.home[0] == self.pieces else -1.0

    def action_name(self, position: UrPosition, player: int, action: int) -> str:
        if player == CHANCE:
            return f"rolled {action}"
        if action == PASS:
            return "pass"
        target = action + position.roll
        name = "enter" if action == 0 else str(action)
        name += " to home" if target == HOME else f" to {target}"
        if target in SHARED and position.squares[1 - player] >> target & 1:
            name += ", takes"
        return name + ", rosette" if target in ROSETTES else name

    def draw(self, position: UrPosition) -> str:
        mover, roll, squares, home = position
        lines = []
        for owners, path in _BOARD:
            cells = []
            for square in path:
                held = ["XO"[p] for p in owners if squares[p] >> square & 1]
                label = held[0] if held else f"{square}*" if square in ROSETTES else str(square)
                cells.append(f"[{label:^3}]" if square else " " * 5)
            line = "".join(cells)
            if len(owners) == 2:
                lines.append(f"{'':16}{line}")
                continue
            (player,) = owners
            turn = ">" if player == mover and self.player(position) != TERMINAL else " "
            hand = self.pieces - squares[player].bit_count() - home[player]
            line = f"{turn} player {player} ({'XO'[player]})  {line}"
            lines.append(f"{line}  in hand {hand}, home {home[player]}")
        if roll != TO_ROLL:
            lines.append(f"  player {mover} rolled {roll}")
        elif self.player(position) == CHANCE:
            lines.append(f"  player {mover} rolls")
        return "\n".join(lines)

    def observation(self, position: UrPosition, player: int) -> NDArray[np.float32]:
        """Own squares 1-14, other squares 1-14, own and other home, hand (parts of the pieces), roll one-hot,
        own turn, to roll.
        """
        mover, roll, squares, home = position
        other, half = 1 - player, self._half
        return vector(
            (
                half[squares[player] >> 1 & 127],
                half[squares[player] >> 8],
                half[squares[other] >> 1 & 127],
                half[squares[other] >> 8],
                self._pieces_off[home[player], squares[player].bit_count()],
                self._pieces_off[home[other], squares[other].bit_count()],
                self._turns[roll, mover == player],
            )
        )

    def is_quiet(self, position: UrPosition) -> bool:
        """Not where the player to move, or to roll, can take a piece."""
        mover, roll, squares, home = position
        pieces = squares[mover] | (squares[mover].bit_count() + home[mover] < self.pieces)
        exposed = squares[1 - mover] & _EXPOSED
        rolls = range(1, self.dice + 1) if roll == TO_ROLL else (roll,)
        return not any(pieces << steps & exposed for steps in rolls if steps)

    def drawing(self, position: UrPosition) -> Drawing:
        mover, roll, squares, home = position
        cell, left, top = _CELL, _LEFT, _TOP
        canvas = Drawing(8 * cell + 2 * left, 3 * cell + 2 * top)
        for row, (owners, path) in enumerate(_BOARD):
            for column, square in enumerate(path):
                if not square:
                    continue
                x, y = left + column * cell, top + row * cell
                canvas.box(x + 1, y + 1, cell - 2, cell - 2, raster.WOOD, 6, edge=raster.INK)
                if square in ROSETTES:
                    canvas.rosette(x + cell / 2, y + cell / 2, 26, raster.GOLD)
                else:
                    canvas.text(str(square), x + 8, y + 8, raster.mixed(raster.WOOD, raster.INK, 0.4), 1)
                for player in owners:
                    if squares[player] >> square & 1:
                        canvas.disc(x + cell / 2, y + cell / 2, 22, raster.PLAYERS[player], edge=raster.INK)
        for player, y in ((0, 34), (1, top + 3 * cell + 34)):
            colour = raster.PLAYERS[player]
            hand = self.pieces - squares[player].bit_count() - home[player]
            for index in range(hand):
                canvas.disc(left + 14 + index * 26, y, 11, colour, edge=raster.INK)
            for index in range(home[player]):
                canvas.disc(left + 8 * cell - 14 - index * 26, y, 11, raster.mixed(colour, raster.GOLD, 0.5))
            if player == mover and self.player(position) != TERMINAL:
                thrown = "rolls" if roll == TO_ROLL else f"rolled {roll}"
                canvas.text(thrown, left + 4 * cell, y, colour, 2, centred=True)
            elif home[player] == self.pieces:
                canvas.text("wins", left + 4 * cell, y, colour, 2, centred=True)
        return canvas

    def places(self, position: UrPosition) -> Mapping[str, Area]:
        """The mover's squares by their numbers, the pieces in hand, and home."""
        places = {
            str(square): (_LEFT + column * _CELL, _TOP + row * _CELL, _CELL, _CELL)
            for row, (owners, path) in enumerate(_BOARD)
            for column, square in enumerate(path)
            if square and position.mover in owners
        }
        y = 14 if position.mover == 0 else _TOP + 3 * _CELL + 14
        return {**places, _HAND: (_LEFT, y, 3 * _CELL, 40), _OFF: (_LEFT + 5 * _CELL, y, 3 * _CELL, 40)}

    def steps(self, position: UrPosition, action: int) -> Sequence[tuple[str, str]]:
        if action == PASS:
            return ()
        target = action + position.roll
        return ((str(action) if action else _HAND, _OFF if target == HOME else str(target)),)


@lru_cache(maxsize=2**14)
def _moves(movable: int) -> tuple[int, ...]:
    """The legal actions, by the pieces that can move: bit a for action a."""
    return tuple(action for action in range(HOME) if movable >> action & 1) or _ONLY_PASS


def _half(taken: int) -> bytes:
    """Half of the squares as entries."""
    return entries_of(taken >> place & 1 for place in range(7))


def _pieces_off(pieces: int, off: tuple[int, int]) -> bytes:
    """The parts of a player's pieces that are home and in hand, by those home and those on the board."""
    home, on_board = off
    return entries_of((home / pieces, (pieces - on_board - home) / pieces))


def _turn(dice: int, turn: tuple[int, bool]) -> bytes:
    """The roll one-hot, own turn, to roll."""
    roll, own_turn = turn
    return entries_of([*(roll == shown for shown in range(dice + 1)), own_turn, roll == TO_ROLL])


#: Pixels of a square of the drawing, and beside and above the squares; the places that are no squares.
_CELL, _LEFT, _TOP = 64, 20, 70
_HAND, _OFF = "hand", "home"

# The board's three rows from left to right: whose pieces go there, and the squares (0: no square).
_OWN_ROW = (4, 3, 2, 1, 0, 0, 14, 13)
_BOARD = (((0,), _OWN_ROW), ((0, 1), tuple(SHARED)), ((1,), _OWN_ROW))
