"""Draws OpenSpiel's breakthrough: the viewer's pieces move up; squares have the names used in moves."""

import re
from typing import Any

from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.raster import INK, PAPER, PLAYERS, WOOD, mixed

SIDES = ("b, red", "w, blue")
_CELL, _LEFT, _TOP = 56, 36, 20
_MOVE = re.compile(r"([a-z]\d)([a-z]\d)")


def drawing(state: Any, viewer: int) -> Drawing:
    signs, columns, rows = _squares(state)
    board = Drawing(columns * _CELL + _LEFT + 20, rows * _CELL + _TOP + 40)
    board.box(_LEFT - 6, _TOP - 6, columns * _CELL + 12, rows * _CELL + 12, WOOD, 10, edge=INK)
    for name, (x, y, _, _) in _areas(columns, rows, viewer).items():
        dark = (ord(name[0]) + int(name[1:])) % 2
        board.box(x + 1, y + 1, _CELL - 2, _CELL - 2, mixed(PAPER, INK, 0.12) if dark else PAPER, 4)
        if signs[name] != ".":
            player = "bw".index(signs[name])
            board.disc(x + _CELL / 2, y + _CELL / 2, 20, PLAYERS[player], edge=INK)
        if x == _LEFT:
            board.text(name[1:], _LEFT - 18, y + _CELL / 2, INK, 2, centred=True)
        if y == _TOP + (rows - 1) * _CELL:
            board.text(name[0], x + _CELL / 2, y + _CELL + 22, INK, 2, centred=True)
    for sign, colour in (("b", "red"), ("w", "blue")):
        board.say(f"{sign}, {colour}: {' '.join(sorted(name for name in signs if signs[name] == sign))}.")
    return board


def places(state: Any, viewer: int) -> dict[str, Area]:
    """Returns the areas of the squares."""
    _, columns, rows = _squares(state)
    return _areas(columns, rows, viewer)


def steps(state: Any, action: int) -> tuple[tuple[str, str], ...]:
    """Returns the square that a piece leaves and the one it goes to."""
    move = _MOVE.match(str(state.action_to_string(state.current_player(), action)))
    return () if move is None else ((move[1], move[2]),)


def _squares(state: Any) -> tuple[dict[str, str], int, int]:
    """Returns what is on each square, and the numbers of columns and rows."""
    lines = [line for line in str(state).splitlines() if line[:1].isdigit()]
    signs = {f"{chr(97 + at)}{line[0]}": sign for line in lines for at, sign in enumerate(line[1:])}
    return signs, len(lines[0]) - 1, len(lines)


def _areas(columns: int, rows: int, viewer: int) -> dict[str, Area]:
    areas: dict[str, Area] = {}
    for column in range(columns):
        for row in range(1, rows + 1):
            across, down = (column, rows - row) if viewer == 1 else (columns - 1 - column, row - 1)
            areas[f"{chr(97 + column)}{row}"] = (_LEFT + across * _CELL, _TOP + down * _CELL, _CELL, _CELL)
    return areas
