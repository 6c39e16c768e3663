"""Draws OpenSpiel's chess, in which player 1 is White and moves first."""

from typing import Any

import pyspiel

from starspiel.envs.boards.grid import areas
from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.raster import INK, PAPER, WHITE, WOOD, mixed

SIDES = ("Black", "White, who moves first")
_CELL, _LEFT, _TOP = 56, 36, 20
_GLYPHS = dict(zip("kqrbnp", "♚♛♜♝♞♟", strict=True))
_FILES = "abcdefgh"


def drawing(state: Any, viewer: int) -> Drawing:
    board = Drawing(8 * _CELL + _LEFT + 20, 8 * _CELL + _TOP + 44)
    board.box(_LEFT - 6, _TOP - 6, 8 * _CELL + 12, 8 * _CELL + 12, WOOD, 10, edge=INK)
    pieces = _pieces(state)
    for name, (x, y, _, _) in _squares(viewer).items():
        dark = (ord(name[0]) + int(name[1])) % 2 == 0
        board.box(x, y, _CELL, _CELL, mixed(WOOD, INK, 0.3) if dark else PAPER)
        if piece := pieces.get(name):
            own, other = (WHITE, INK) if piece.isupper() else (INK, WHITE)
            board.disc(x + _CELL / 2, y + _CELL / 2, 23, own, edge=INK)
            board.text(_GLYPHS[piece.lower()], x + _CELL / 2, y + _CELL / 2, other, 4, centred=True)
        if x == _LEFT:
            board.text(name[1], _LEFT - 18, y + _CELL / 2, INK, 2, centred=True)
        if y == _TOP + 7 * _CELL:
            board.text(name[0], x + _CELL / 2, y + _CELL + 22, INK, 2, centred=True)
    for colour in ("White", "Black"):
        held = [f"{n.upper()}{at}" for at, n in sorted(pieces.items()) if n.isupper() == (colour == "White")]
        board.say(f"{colour}: {' '.join(held)}.")
    if state.current_player() >= 0:
        board.say(f"{('Black', 'White')[state.current_player()]} to move.")
    return board


def places(state: Any, viewer: int) -> dict[str, Area]:
    """Returns the areas of the squares."""
    return _squares(viewer)


def steps(state: Any, action: int) -> tuple[tuple[str, str], ...]:
    """Returns the square that a piece leaves and the one it goes to; all promotions have the same step."""
    move = pyspiel.chess.action_to_move(action, state.board())
    start, end = (f"{_FILES[square.x]}{square.y + 1}" for square in (move.from_square, move.to_square))
    return ((start, end),)


def text(state: Any, viewer: int) -> str:
    """Returns the board as text, with capitals for White, and with files and ranks."""
    pieces = _pieces(state)
    files, ranks = (_FILES, range(8, 0, -1)) if viewer == 1 else (_FILES[::-1], range(1, 9))
    rows = [f"{rank} {' '.join(pieces.get(f'{file}{rank}', '.') for file in files)}" for rank in ranks]
    turn = f"{('Black', 'White')[state.current_player()]} to move" if state.current_player() >= 0 else ""
    return "\n".join([*rows, f"  {' '.join(files)}", *filter(None, [turn]), str(state)])


def _squares(viewer: int) -> dict[str, Area]:
    return areas(_FILES, 8, _CELL, _LEFT, _TOP, viewer == 0)


def _pieces(state: Any) -> dict[str, str]:
    """Returns the pieces on the squares, by the letters of FEN."""
    pieces: dict[str, str] = {}
    for down, row in enumerate(str(state).split()[0].split("/")):
        file = 0
        for sign in row:
            if sign.isdigit():
                file += int(sign)
            else:
                pieces[f"{_FILES[file]}{8 - down}"] = sign
                file += 1
    return pieces
