"""Draws Dice: the grid with its stones, the row or column that the die names, and the die."""

from typing import Any

from starspiel.envs.base import TERMINAL
from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.raster import INK, PAPER, PLAYERS, WOOD, mixed

_CELL, _LEFT, _TOP = 56, 50, 50
HANDS = "Click a square of the row or column that the die names."


def drawing(state: Any, viewer: int) -> Drawing:
    rules, position = state.rules, state.position
    stones, mover, die, acting = position
    size, cell, left, top = rules.size, _CELL, _LEFT, _TOP
    wide = size * cell
    board = Drawing(wide + left + 30, wide + top + 80)
    board.box(left - 6, top - 6, wide + 12, wide + 12, WOOD, 10, edge=INK)
    for index in range(size**2):
        row, column = divmod(index, size)
        named = acting in (0, 1) and (row, column)[mover] == die
        x, y = left + column * cell, top + row * cell
        colour = mixed(PAPER, PLAYERS[mover], 0.25) if named else PAPER
        board.box(x + 2, y + 2, cell - 4, cell - 4, colour, 6)
        for player in (0, 1):
            if stones[player] >> index & 1:
                board.disc(x + cell / 2, y + cell / 2, 20, PLAYERS[player], edge=INK)
    for player in (0, 1):
        stones_of = [divmod(index, size) for index in range(size**2) if stones[player] >> index & 1]
        said = ", ".join(f"row {row + 1} column {column + 1}" for row, column in stones_of)
        board.say(f"Player {player}: {said or 'no stones'}.")
    for place in range(size):
        middle = (place + 0.5) * cell
        board.text(str(place + 1), left + middle, 24, PLAYERS[1], 2, centred=True)
        board.text(str(place + 1), 24, top + middle, PLAYERS[0], 2, centred=True)
    bottom = top + wide + 24
    if acting == TERMINAL:
        utility = rules.utility(position)
        board.text("a draw" if utility == 0 else f"player {int(utility < 0)} wins", left, bottom + 12)
        return board
    board.disc(left + 20, bottom + 20, 16, PLAYERS[mover], edge=INK)
    if acting in (0, 1):
        board.die(left + 50, bottom, 40, die + 1)
        board.say(f"Player {mover} rolled {('row', 'column')[mover]} {die + 1}.")
    else:
        board.tray = (left + 50, bottom, 40)
    return board


def places(state: Any, viewer: int) -> dict[str, Area]:
    """Returns the areas of the squares in the row or column that the die names."""
    rules, (_, mover, die, _) = state.rules, state.position
    squares = [(die, other) if mover == 0 else (other, die) for other in range(rules.size)]
    return {
        f"row {row + 1} column {column + 1}": (_LEFT + column * _CELL, _TOP + row * _CELL, _CELL, _CELL)
        for row, column in squares
    }


def steps(state: Any, action: int) -> tuple[tuple[str, str], ...]:
    """Returns the step of a new stone onto a square; () for a pass."""
    name = str(state.action_to_string(state.current_player(), action))
    return (("", name),) if name.startswith("row") else ()
