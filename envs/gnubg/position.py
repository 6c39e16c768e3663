"""A backgammon position, with points numbered from each player's side."""

from dataclasses import dataclass
from typing import Any

from starspiel.envs.boards.backgammon import checkers, dice
from starspiel.envs.errors import StarspielError

#: The number of a player's checkers, and of their places: the points, starting with the 1 point, and the bar.
MEN, PLACES = 15, 25

Side = tuple[int, ...]


@dataclass(frozen=True)
class Position:
    """A backgammon position: the checkers, whose turn it is, and the dice.

    Attributes:
        sides: each player's number of checkers on each of the PLACES, with the points numbered from that
            player's side; the other checkers are borne off.
        player: the player who is to move, or to throw.
        dice: the dice thrown, the higher first; () if nothing yet.

    Raises StarspielError if the position is impossible.
    """

    sides: tuple[Side, Side]
    player: int
    dice: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if any(len(side) != PLACES or min(side) < 0 or not 0 < sum(side) <= MEN for side in self.sides):
            found = " and ".join(str(sum(side)) for side in self.sides)
            raise StarspielError(f"expected 1 to {MEN} checkers a player on the board, got {found}.")
        for point in range(PLACES - 1):
            if self.sides[0][point] and self.sides[1][PLACES - 2 - point]:
                raise StarspielError(f"expected no point with checkers of both players, got {point + 1}.")

    @property
    def on_roll(self) -> tuple[Side, Side]:
        """The sides, first that of the player who is to move or to throw."""
        return self.sides[self.player], self.sides[1 - self.player]


def position_of(state: Any) -> Position:
    """Returns the position of a decision in OpenSpiel's backgammon. Raises StarspielError at other nodes."""
    if state.current_player() < 0:
        raise StarspielError(
            "expected a position in which a player moves; here the dice are thrown next, or the game is over."
        )
    thrown = tuple(sorted(dice(state), reverse=True))
    return Position((side_of(state, 0), side_of(state, 1)), state.current_player(), thrown)


def side_of(state: Any, player: int) -> Side:
    """Returns a player's number of checkers on each of the PLACES."""
    found = checkers(state, player)
    return (*found.points, found.bar)
