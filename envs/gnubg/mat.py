"""Writes games of backgammon as .mat, Jellyfish's text format of matches, which GNU Backgammon imports."""

from collections.abc import Iterable, Sequence
from typing import Any

from starspiel.envs.base import CHANCE
from starspiel.envs.boards.backgammon import dice
from starspiel.envs.plays.backgammon import hops_of

#: The start of a file: a money session, which may have any number of games.
MAT_HEAD = " 0 point match\n"
_LEFT, _COLUMN = 5, 34


def mat_game(
    number: int, heads: Sequence[str], steps: Iterable[tuple[Any, int]], points: int, left: int = 0
) -> str:
    """Returns the text of a game.

    Args:
        number: the number of the game, from 1.
        heads: the heading of each player's column: the name, and the points before the game.
        steps: the game's states, each with the action or outcome that followed.
        points: the points that player 0 has won, or minus those that player 1 has. With 0, nobody has won.
        left: the player whose column is on the left.
    """
    columns = (left, 1 - left)
    width = _LEFT + _COLUMN - 2  # a longer name shifts the other column, which starts after a space
    lines = [f" Game {number}", f" {heads[columns[0]]:{width}} {heads[columns[1]]}"]
    for turn, row in enumerate(_rows(steps, columns), 1):
        lines.append(f"{turn:3}) {row[0]:{_COLUMN}}{row[1]}".rstrip())
    if points:
        is_left = columns[0] == (points < 0)
        lines.append(
            " " * (_LEFT + _COLUMN * (not is_left)) + f" Wins {abs(points)} point{'s' * (abs(points) > 1)}"
        )
    return "\n".join(["", *lines, ""])


def _rows(steps: Iterable[tuple[Any, int]], columns: tuple[int, int]) -> list[list[str]]:
    """Returns rows with one turn of each player, in the order of the columns."""
    rows: list[list[str]] = []
    mover = CHANCE
    for state, action in steps:
        before, mover = mover, state.current_player()
        if mover == CHANCE:
            continue
        play = "".join(f" {here}/{there}{'*' * hit}" for here, there, hit in hops_of(state, action))
        column = columns.index(mover)
        if mover != before:  # otherwise it is the second half of a double
            if column == 0 or not rows:
                rows.append(["", ""])
            rows[-1][column] = "".join(map(str, sorted(dice(state), reverse=True))) + ":"
        rows[-1][column] += play
    return rows
