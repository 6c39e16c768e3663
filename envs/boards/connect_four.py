"""Draws OpenSpiel's connect four, with columns numbered from 1."""

from typing import Any

from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.raster import INK, PAPER, PLAYERS, WOOD

SIDES = ("x, red", "o, blue")
HANDS = "Click a column: the disc drops into it."
_CELL, _LEFT, _TOP = 52, 20, 16


def drawing(state: Any, viewer: int) -> Drawing:
    rows = [line for line in str(state).splitlines() if line]
    width, height = len(rows[0]) * _CELL, len(rows) * _CELL
    board = Drawing(width + 2 * _LEFT, height + _TOP + 40)
    board.box(_LEFT - 6, _TOP - 6, width + 12, height + 12, WOOD, 10, edge=INK)
    for down, row in enumerate(rows):
        for across, sign in enumerate(row):
            x, y = _LEFT + (across + 0.5) * _CELL, _TOP + (down + 0.5) * _CELL
            colour = {"x": PLAYERS[0], "o": PLAYERS[1]}.get(sign, PAPER)
            board.disc(x, y, 21, colour, edge=None if sign == "." else INK)
        board.say(f"Row {len(rows) - down} from the bottom: {' '.join(row.replace('.', '-'))}.")
    for across in range(len(rows[0])):
        board.text(str(across + 1), _LEFT + (across + 0.5) * _CELL, _TOP + height + 20, INK, 2, centred=True)
    return board


def places(state: Any, viewer: int) -> dict[str, Area]:
    """Returns the areas of the columns."""
    rows = [line for line in str(state).splitlines() if line]
    tall = len(rows) * _CELL
    return {_column(across): (_LEFT + across * _CELL, _TOP, _CELL, tall) for across in range(len(rows[0]))}


def steps(state: Any, action: int) -> tuple[tuple[str, str], ...]:
    """Returns the step of a new disc into a column."""
    return (("", _column(action)),)


def text(state: Any, viewer: int) -> str:
    """Returns OpenSpiel's rows as text, above the numbers of the columns."""
    rows = [line for line in str(state).splitlines() if line]
    return "\n".join([*map(" ".join, rows), " ".join(str(across + 1) for across in range(len(rows[0])))])


def _column(across: int) -> str:
    return f"column {across + 1}"
