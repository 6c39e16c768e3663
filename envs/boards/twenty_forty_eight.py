"""Draws the tiles and points of 2048, both the shipped game and OpenSpiel's."""

from collections.abc import Sequence
from typing import Any

from starspiel.envs.drawing import Drawing
from starspiel.envs.raster import FAINT, INK, PAPER, PLAYERS, WOOD, Colour, ink_on, mixed
from starspiel.envs.rules import RulesState


def drawing(state: Any, viewer: int) -> Drawing:
    tiles: Sequence[int]
    if isinstance(state, RulesState):
        rules: Any = state.rules
        tiles, columns, points = state.position.tiles, rules.columns, state.position.score
    else:
        rows = [list(map(int, line.split())) for line in str(state).splitlines() if line.strip()]
        tiles = [value.bit_length() - 1 if value else 0 for row in rows for value in row]
        columns, points = len(rows[0]), int(state.returns()[0])
    cell, gap, top = 84, 8, 64
    width, height = columns * cell, len(tiles) // columns * cell
    board = Drawing(width + 40, height + top + 20)
    board.text(f"points {points}", 24, 20, INK, 3)
    board.box(14, top - 6, width + 12, height + 12, WOOD, 10)
    board.say(f"{points} points.")
    for start in range(0, len(tiles), columns):
        row_of = " ".join(str(1 << tile) if tile else "-" for tile in tiles[start : start + columns])
        board.say(f"Row {start // columns + 1}: {row_of}.")
    for index, tile in enumerate(tiles):
        row, column = divmod(index, columns)
        x, y = 20 + column * cell, top + row * cell
        board.box(x + gap / 2, y + gap / 2, cell - gap, cell - gap, _colour(tile), 8)
        if tile:
            text = str(1 << tile)
            size = 4 if len(text) < 3 else 3 if len(text) < 5 else 2 if len(text) < 7 else 1
            board.text(text, x + cell / 2, y + cell / 2, ink_on(_colour(tile)), size, centred=True)
    return board


def _colour(tile: int) -> Colour:
    """Returns a tile's colour: paler for smaller tiles, and another hue above 2048."""
    if tile == 0:
        return PAPER
    if tile <= 11:
        return mixed(FAINT, PLAYERS[0], min(1.0, (tile - 1) / 8))
    return mixed(PLAYERS[0], PLAYERS[1], min(1.0, (tile - 10) / 5))
