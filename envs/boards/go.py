"""Draws OpenSpiel's go; points have the names used in moves."""

import re
from typing import Any

from starspiel.envs.boards.grid import areas
from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.raster import INK, WHITE, WOOD

SIDES = ("X, black", "O, white")
HANDS = "Click a point to put a stone there."
_ROW = re.compile(r"^ *(\d+) ([+XO]+)$", re.MULTILINE)
_FILES = "abcdefghjklmnopqrst"
_LEFT, _TOP, _WIDE = 36.0, 20.0, 494.0


def drawing(state: Any, viewer: int) -> Drawing:
    stones, points = _stones(state), places(state, viewer)
    size = len(_ROW.findall(str(state)))
    cell = _WIDE / size
    board = Drawing(int(_WIDE + _LEFT + 20), int(_WIDE + _TOP + 44))
    board.box(_LEFT - 6, _TOP - 6, _WIDE + 12, _WIDE + 12, WOOD, 10, edge=INK)
    first, last = 0.5 * cell, _WIDE - 0.5 * cell
    for number in range(size):
        at = (number + 0.5) * cell
        board.line(_LEFT + first, _TOP + at, _LEFT + last, _TOP + at, INK, 1)
        board.line(_LEFT + at, _TOP + first, _LEFT + at, _TOP + last, INK, 1)
    for name, (x, y, _, _) in points.items():
        if name in stones:
            board.disc(
                x + cell / 2, y + cell / 2, 0.46 * cell, INK if stones[name] == "X" else WHITE, edge=INK
            )
        if name[0] == "a":
            board.text(name[1:], _LEFT - 18, y + cell / 2, INK, 2, centred=True)
        if name[1:] == "1":
            board.text(name[0], x + cell / 2, _TOP + _WIDE + 24, INK, 2, centred=True)
    for sign, colour in (("X", "Black"), ("O", "White")):
        board.say(
            f"{colour}: {' '.join(name for name in sorted(stones) if stones[name] == sign) or 'no stone'}."
        )
    return board


def places(state: Any, viewer: int) -> dict[str, Area]:
    """Returns the areas of the points."""
    size = len(_ROW.findall(str(state)))
    return areas(_FILES[:size], size, _WIDE / size, _LEFT, _TOP, turned=False)


def steps(state: Any, action: int) -> tuple[tuple[str, str], ...]:
    """Returns the step of a new stone onto a point; () for a pass."""
    point = str(state.action_to_string(state.current_player(), action)).split()[-1]
    return (("", point),) if point[1:].isdigit() else ()


def _stones(state: Any) -> dict[str, str]:
    return {
        f"{_FILES[at]}{rank}": sign
        for rank, row in _ROW.findall(str(state))
        for at, sign in enumerate(row)
        if sign != "+"
    }
