"""The Royal Game of Ur by published rules: a race along a path that shares squares with the opponent's.

Rules: I. L. Finkel, "On the rules for the Royal Game of Ur", in Ancient Board Games in Perspective, British
Museum Press, 2007; J. Masters, "The Royal Game of Ur & The Game of 20 Squares", tradgames.org.uk, 2021; the
settings of RoyalUr.net.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.arguments import whole_number
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.cache import Cache
from starspiel.envs.errors import SpecError, shown
from starspiel.envs.games.vector import entries_of, vector
from starspiel.envs.rules import Rules
from starspiel.envs.spec import spec_of

#: The value of `roll` before the dice are thrown.
TO_ROLL = -1


class RuleSet(NamedTuple):
    """The settings in which published rules differ.

    Attributes:
        board: the board's three rows from left to right. Each square is its number on player 0's path, or 0
            if it is not on that path. Player 1's path is the same with the rows upside down.
        rosettes: the squares of either path that give another throw.
        safe: whether pieces on rosettes cannot be taken.
        takes_again: whether taking a piece gives another throw.
        zero_is_most: whether a throw without marks counts one more than a throw with all marks.
        pieces, dice: their default numbers.
    """

    board: tuple[tuple[int, ...], ...]
    rosettes: frozenset[int]
    safe: bool
    takes_again: bool
    zero_is_most: bool
    pieces: int
    dice: int


_NONE = (0,)
_BELL = ((4, 3, 2, 1, 0, 0, 14, 13), tuple(range(5, 13)), _NONE * 8)
_MASTERS = ((4, 3, 2, 1, 0, 0, 16, 15), (*range(5, 12), 14), (*_NONE * 6, 12, 13))
_ASEB = ((4, 3, 2, 1, *_NONE * 8), tuple(range(5, 17)), _NONE * 12)
_EVERY_FOURTH = frozenset({4, 8, 12, 16})
RULE_SETS = {
    "finkel": RuleSet(_BELL, frozenset({4, 8, 14}), True, False, False, 7, 4),
    "masters": RuleSet(_MASTERS, _EVERY_FOURTH, False, False, True, 7, 3),
    "blitz": RuleSet(_MASTERS, _EVERY_FOURTH, False, True, False, 5, 4),
    "aseb": RuleSet(_ASEB, _EVERY_FOURTH, True, False, False, 5, 4),
}


class UrPosition(NamedTuple):
    """Whose turn it is, the throw, and each player's occupied squares (bit s: square s) and pieces home."""

    mover: int
    roll: int
    squares: tuple[int, int]
    home: tuple[int, int]


class RoyalGameOfUr(Rules[UrPosition]):
    """The Royal Game of Ur for two players. Utility 1 for the winner, -1 for the loser.

    Action s moves the piece on square s of the player's path. Action 0 enters a new piece. The action `home`,
    one more than the last square, passes if no piece can move.

    Args:
        pieces: the number of pieces of each player. Defaults to that of the rule set.
        dice: the number of two-sided dice; a throw is the number of dice that show their mark. Defaults to
            that of the rule set.
        rules: the name of the rule set, one of `RULE_SETS`.

    Attributes:
        board: the board's three rows. Each square is a pair of its numbers on the paths of player 0 and
            player 1, 0 if it is not on that path.
        across: for each square of one path, its number on the other path, 0 if it is not on that path.
        exposed: the squares where pieces can be taken (bit s: square s).
    """

    def __init__(self, pieces: int | None = None, dice: int | None = None, rules: str = "finkel") -> None:
        if rules not in RULE_SETS:
            raise SpecError(
                f"royal_game_of_ur: rules must be one of {', '.join(RULE_SETS)}, got {shown(rules)}."
            )
        self.rule_set, chosen = rules, RULE_SETS[rules]
        pieces = chosen.pieces if pieces is None else pieces
        dice = chosen.dice if dice is None else dice
        self.pieces = whole_number("royal_game_of_ur: pieces", pieces, 1, 7)
        self.dice = whole_number("royal_game_of_ur: dice", dice, 1, 8)
        self.name = spec_of(
            "royal_game_of_ur",
            pieces=(pieces, chosen.pieces),
            dice=(dice, chosen.dice),
            rules=(rules, "finkel"),
        )
        self.rosettes, self.takes_again = chosen.rosettes, chosen.takes_again
        self.board = tuple(
            tuple(zip(*rows, strict=True)) for rows in zip(chosen.board, chosen.board[::-1], strict=True)
        )
        number_of = {own: other for row in self.board for own, other in row}
        self.home = max(number_of) + 1
        self.across = (0, *(number_of[square] for square in range(1, self.home)), 0)
        shared = _bits(square for square in range(self.home) if self.across[square])
        #: The shared squares where pieces cannot be taken; they have the same number on both paths.
        self.safe = shared & _bits(self.rosettes) if chosen.safe else 0
        self.exposed = shared & ~self.safe
        self.num_distinct_actions = self.home + 1
        #: The value of a throw without marks.
        self.zero = dice + 1 if chosen.zero_is_most else 0
        self._chances = tuple(
            sorted((marks or self.zero, comb(dice, marks) / 2**dice) for marks in range(dice + 1))
        )
        self.max_chance_outcomes = self._chances[-1][0] + 1
        self._taken = tuple(1 << other if other else 0 for other in self.across)
        self._moves = Cache(partial(_moves, self.home))
        self._half_path = (self.home - 1) // 2
        self._half = Cache(partial(_entries, self._half_path))
        self._pieces_off = Cache(partial(_pieces_off, pieces))
        self._turns = Cache(partial(_turn, tuple(roll for roll, _ in self._chances)))

    def initial(self) -> UrPosition:
        return UrPosition(0, TO_ROLL, (0, 0), (0, 0))

    def player(self, position: UrPosition) -> int:
        if position.roll != TO_ROLL:
            return position.mover
        # The game is over if a player has all pieces home; only the last mover can have brought them home.
        return TERMINAL if self.pieces in position.home else CHANCE

    def actions(self, position: UrPosition) -> Sequence[int]:
        mover, roll, squares, home = position
        if roll == 0:
            return self._moves[0]
        own = squares[mover]
        blocked = own | squares[1 - mover] & self.safe
        # Bit 0 for a piece in hand, bit s for a piece on square s; home is never blocked.
        pieces = own | (own.bit_count() + home[mover] < self.pieces)
        return self._moves[pieces & ~(blocked >> roll) & (2 << self.home - roll) - 1]

    def chances(self, position: UrPosition) -> Sequence[tuple[int, float]]:
        return self._chances

    def apply(self, position: UrPosition, action: int) -> UrPosition:
        mover, roll, squares, home = position
        if roll == TO_ROLL:
            return UrPosition(mover, action, squares, home)
        if action == self.home:
            return UrPosition(1 - mover, TO_ROLL, squares, home)
        target = action + roll
        own, other = squares[mover], squares[1 - mover]
        own &= ~(1 << action)  # bit 0, the pieces in hand, is never set
        taken = other & self._taken[target]
        if target == self.home:
            home = (home[0] + 1, home[1]) if mover == 0 else (home[0], home[1] + 1)
        else:
            own |= 1 << target
        other ^= taken
        squares = (own, other) if mover == 0 else (other, own)
        again = target in self.rosettes or (self.takes_again and taken)
        return UrPosition(mover if again else 1 - mover, TO_ROLL, squares, home)

    def utility(self, position: UrPosition) -> float:
        return 1.0 if position.home[0] == self.pieces else -1.0

    def action_name(self, position: UrPosition, player: int, action: int) -> str:
        if player == CHANCE:
            return f"rolled {action}"
        if action == self.home:
            return "pass"
        target = action + position.roll
        name = "enter" if action == 0 else f"move {action}"
        name += " to home" if target == self.home else f" to {target}"
        if position.squares[1 - player] & self._taken[target]:
            name += ", takes"
        return name + ", rosette" if target in self.rosettes else name

    def draw(self, position: UrPosition) -> str:
        mover, roll, squares, home = position
        lines = []
        for player, row in zip((0, None, 1), self.board, strict=True):
            line = "".join(self._cell(position, numbers) for numbers in row)
            if player is None:
                lines.append(f"{'':16}{line}")
                continue
            turn = ">" if player == mover and self.player(position) != TERMINAL else " "
            hand = self.pieces - squares[player].bit_count() - home[player]
            line = f"{turn} player {player} ({'XO'[player]})  {line}"
            lines.append(f"{line}  in hand {hand}, home {home[player]}")
        if roll != TO_ROLL:
            lines.append(f"  player {mover} rolled {roll}")
        elif self.player(position) == CHANCE:
            lines.append(f"  player {mover} rolls")
        return "\n".join(lines)

    def _cell(self, position: UrPosition, numbers: tuple[int, int]) -> str:
        """Returns a square of the drawing: its piece, or else its number, on the mover's path if possible."""
        if not any(numbers):
            return " " * 5
        square = numbers[position.mover] or numbers[1 - position.mover]
        label = f"{square}*" if square in self.rosettes else str(square)
        for player in (0, 1):
            if numbers[player] and position.squares[player] >> numbers[player] & 1:
                label = "XO"[player]
        return f"[{label:^3}]"

    def observation(self, position: UrPosition, player: int) -> NDArray[np.float32]:
        """Returns own squares by number, other squares by the other player's number, own and other pieces
        home and in hand (as shares of the pieces), roll one-hot, own turn, and whether to roll.
        """
        mover, roll, squares, home = position
        other, half, length = 1 - player, self._half, self._half_path
        low = (1 << length) - 1
        return vector(
            (
                half[squares[player] >> 1 & low],
                half[squares[player] >> length + 1],
                half[squares[other] >> 1 & low],
                half[squares[other] >> length + 1],
                self._pieces_off[home[player], squares[player].bit_count()],
                self._pieces_off[home[other], squares[other].bit_count()],
                self._turns[roll, mover == player],
            )
        )


def _bits(squares: Iterable[int]) -> int:
    """Returns a set of squares as bits: bit s for square s."""
    return sum(1 << square for square in squares)


def _moves(home: int, movable: int) -> tuple[int, ...]:
    """Returns the legal actions, given the pieces that can move (bit a for action a)."""
    return tuple(action for action in range(home) if movable >> action & 1) or (home,)


def _entries(length: int, taken: int) -> bytes:
    """Returns `length` squares as entries."""
    return entries_of(taken >> place & 1 for place in range(length))


def _pieces_off(pieces: int, off: tuple[int, int]) -> bytes:
    """Returns the shares of a player's pieces home and in hand, given the numbers home and on the board."""
    home, on_board = off
    return entries_of((home / pieces, (pieces - on_board - home) / pieces))


def _turn(rolls: tuple[int, ...], turn: tuple[int, bool]) -> bytes:
    """Returns the roll one-hot, own turn, and whether to roll."""
    roll, own_turn = turn
    return entries_of([*(roll == each for each in rolls), own_turn, roll == TO_ROLL])


def parameters(rules: RoyalGameOfUr) -> tuple[int, ...]:
    """Returns the parameters of the native core's model, in its order."""
    flags = rules.zero, rules.takes_again, _bits(rules.rosettes), rules.safe
    return rules.pieces, rules.dice, *flags, *rules.across[1:-1]


def numbers(position: UrPosition) -> tuple[int, ...]:
    """Returns the numbers of a position that the native core's model reads, in its order."""
    mover, roll, squares, home = position
    return mover, roll, *squares, *home
