"""Games of backgammon as .mat, the text of a match that Jellyfish wrote first and GNU Backgammon imports."""

from collections.abc import Iterable, Sequence
from typing import Any

from starspiel.envs.base import CHANCE
from starspiel.envs.boards.backgammon import dice
from starspiel.envs.plays.backgammon import hops_of

#: What a file begins with: a session for money, which any number of games make up.
MAT_HEAD = " 0 point match\n"
_LEFT, _COLUMN = 5, 34


def mat_game(
    number: int, heads: Sequence[str], steps: Iterable[tuple[Any, int]], points: int, left: int = 0
) -> str:
    """The text of a game.

    Args:
        number: of the game, from 1.
        heads: what stands above each player's column: the name, and the points before the game.
        steps: its states, each with the action or outcome that followed.
        points: what player 0 has won; below 0 what player 1 has. A game of 0 points has no winner.
        left: whose column is on the left.
    """
    columns = (left, 1 - left)
    width = _LEFT + _COLUMN - 2  # a name that is longer moves the other column, which begins after a space
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
    """Both players' turns by columns, a row for each time around."""
    rows: list[list[str]] = []
    mover = CHANCE
    for state, action in steps:
        before, mover = mover, state.current_player()
        if mover == CHANCE:
            continue
        play = "".join(f" {here}/{there}{'*' * hit}" for here, there, hit in hops_of(state, action))
        column = columns.index(mover)
        if mover != before:  # no second half of a double
            if column == 0 or not rows:
                rows.append(["", ""])
            rows[-1][column] = "".join(map(str, sorted(dice(state), reverse=True))) + ":"
        rows[-1][column] += play
    return rows
