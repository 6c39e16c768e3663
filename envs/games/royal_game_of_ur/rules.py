"""The Royal Game of Ur by Irving Finkel's rules: a race of pieces along a path that crosses the opponent's.

Rules: I. L. Finkel, "On the rules for the Royal Game of Ur", in Ancient Board Games in Perspective, British
Museum Press, 2007.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.arguments import whole_number
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.cache import Cache
from starspiel.envs.games.vector import entries_of, vector
from starspiel.envs.rules import Rules
from starspiel.envs.spec import spec_of

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


_OWN_ROW = (4, 3, 2, 1, 0, 0, 14, 13)
#: The board's three rows from left to right: whose pieces go there, and the squares (0: no square).
BOARD = (((0,), _OWN_ROW), ((0, 1), tuple(SHARED)), ((1,), _OWN_ROW))


class UrPosition(NamedTuple):
    """Whose turn, the throw, and for each player the squares taken (bit s: square s) and the pieces home."""

    mover: int
    roll: int
    squares: tuple[int, int]
    home: tuple[int, int]


class RoyalGameOfUr(Rules[UrPosition]):
    """The Royal Game of Ur for two players. Utility 1 for the winner, -1 for the loser.

    Action s moves the piece on square s, 0 enters a new one, 15 passes if no piece can move.

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
        self._half = Cache(_half)
        self._pieces_off = Cache(partial(_pieces_off, pieces))
        self._turns = Cache(partial(_turn, dice))

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
        name = "enter" if action == 0 else f"move {action}"
        name += " to home" if target == HOME else f" to {target}"
        if target in SHARED and position.squares[1 - player] >> target & 1:
            name += ", takes"
        return name + ", rosette" if target in ROSETTES else name

    def draw(self, position: UrPosition) -> str:
        mover, roll, squares, home = position
        lines = []
        for owners, path in BOARD:
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
        """False if the player to move, or to roll, can take a piece."""
        mover, roll, squares, home = position
        pieces = squares[mover] | (squares[mover].bit_count() + home[mover] < self.pieces)
        exposed = squares[1 - mover] & _EXPOSED
        rolls = range(1, self.dice + 1) if roll == TO_ROLL else (roll,)
        return not any(pieces << steps & exposed for steps in rolls if steps)


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


def parameters(rules: RoyalGameOfUr) -> tuple[int, ...]:
    """The parameters of the native core's model, in its order."""
    return rules.pieces, rules.dice


def numbers(position: UrPosition) -> tuple[int, ...]:
    """The numbers of a position that the native core's model reads, in its order."""
    mover, roll, squares, home = position
    return mover, roll, *squares, *home
