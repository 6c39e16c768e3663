"""A backgammon position, with points numbered from each player's side."""

from dataclasses import dataclass
from typing import Any

from starspiel.envs.boards.backgammon import checkers, dice
from starspiel.envs.errors import StarspielError

#: Checkers of a player; places of a player's checkers: the points from the 1 point on, and the bar.
MEN, PLACES = 15, 25

Side = tuple[int, ...]


@dataclass(frozen=True)
class Position:
    """Checkers, whose turn it is, and the dice.

    Attributes:
        sides: each player's checkers by PLACES, as that player counts the points; the others are borne off.
        player: who is to move, or to throw.
        dice: what was thrown, the greater die first; () if nothing yet.

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
        """The sides, that of who is to move or to throw first."""
        return self.sides[self.player], self.sides[1 - self.player]


def position_of(state: Any) -> Position:
    """The position of a decision in OpenSpiel's backgammon. Raises StarspielError for other states."""
    if state.current_player() < 0:
        raise StarspielError(
            "expected a position in which somebody moves; the dice are thrown, or it is over."
        )
    thrown = tuple(sorted(dice(state), reverse=True))
    return Position((side_of(state, 0), side_of(state, 1)), state.current_player(), thrown)


def side_of(state: Any, player: int) -> Side:
    """A player's checkers by PLACES."""
    found = checkers(state, player)
    return (*found.points, found.bar)
