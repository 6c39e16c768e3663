"""Draws OpenSpiel's EinStein würfelt nicht!: numbered stones, and the die that says which may move."""

import re
from typing import Any

from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.raster import INK, PAPER, PLAYERS, WHITE, WOOD

SIDES = (
    "b, the red stones: from the upper left to the lower right corner",
    "w, the blue stones: from the lower right to the upper left corner",
)
_CELL, _LEFT, _TOP = 64, 20, 20
_STONE = re.compile(r"\|([bw_])([\d_])\|")
_MOVE = re.compile(r"([BW]\d)-(\w+)")
#: Rows down and columns right that the first player's stones move; the second player's move the other way.
_WAYS = {"down": (1, 0), "right": (0, 1), "up": (1, 0), "left": (0, 1), "diag": (1, 1)}


def drawing(state: Any, viewer: int) -> Drawing:
    rows = _rows(state)
    size = len(rows) * _CELL
    board = Drawing(size + 2 * _LEFT, size + _TOP + 76)
    board.box(_LEFT - 6, _TOP - 6, size + 12, size + 12, WOOD, 10, edge=INK)
    for down, row in enumerate(rows):
        for across, (colour, number) in enumerate(row):
            x, y = _LEFT + across * _CELL, _TOP + down * _CELL
            board.box(x + 2, y + 2, _CELL - 4, _CELL - 4, PAPER, 6)
            if number != "_":
                board.disc(x + _CELL / 2, y + _CELL / 2, 24, PLAYERS["bw".index(colour)], edge=INK)
                board.text(number, x + _CELL / 2, y + _CELL / 2, WHITE, 3, centred=True)
                board.say(f"{colour}{number}: {_named(down, across)}.")
    if not board.words:
        board.say("No stones are placed.")
    y, player = _TOP + size + 20, state.current_player()
    if state.is_terminal():
        said = f"player {0 if state.returns()[0] > 0 else 1} wins"
        board.say(f"{said}.")
        board.text(said, _LEFT, y + 10, PLAYERS[state.returns()[0] < 0])
    elif player >= 0:
        board.disc(_LEFT + 20, y + 18, 15, PLAYERS[player], edge=INK)
        # The text omits the die, which is the last outcome.
        board.die(_LEFT + 50, y, 38, state.history()[-1] + 1)
        board.say(f"Player {player} rolled {state.history()[-1] + 1}.")
    else:
        board.tray = (_LEFT + 50, y, 38)
    return board


def places(state: Any, viewer: int) -> dict[str, Area]:
    """Returns the areas of the squares, named by row and column from the upper left, from 1."""
    numbers = range(len(_rows(state)))
    return {
        _named(down, across): (_LEFT + across * _CELL, _TOP + down * _CELL, _CELL, _CELL)
        for down in numbers
        for across in numbers
    }


def steps(state: Any, action: int) -> tuple[tuple[str, str], ...]:
    """Returns the square that a stone leaves and the one it goes to."""
    player = state.current_player()
    move = _MOVE.match(str(state.action_to_string(player, action)))
    if move is None:
        return ()
    rows, stone = _rows(state), tuple(move[1].lower())
    down, across = next(
        (down, across) for down, row in enumerate(rows) for across, found in enumerate(row) if found == stone
    )
    further = -1 if player == 1 else 1
    by_rows, by_columns = _WAYS[move[2]]
    return ((_named(down, across), _named(down + further * by_rows, across + further * by_columns)),)


def _rows(state: Any) -> list[list[tuple[str, str]]]:
    """Returns rows of (colour, number) of the stones, with `_` for an empty square."""
    return [_STONE.findall(line) for line in str(state).splitlines() if "|" in line]


def _named(down: int, across: int) -> str:
    return f"row {down + 1}, column {across + 1}"
