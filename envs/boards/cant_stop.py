"""Draws Can't Stop: the columns, centred as on the octagonal board."""

from typing import Any

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.drawing import Drawing
from starspiel.envs.raster import INK, PLAYERS, WHITE, WOOD, mixed


def drawing(state: Any, viewer: int) -> Drawing:
    rules, position = state.rules, state.position
    heights, runners, mover, _, acting = position
    cell, left = 40, 20
    tallest = max(rules.lengths)
    width = max(len(rules.lengths) * cell + 2 * left, 320)
    base = 20 + tallest * 30
    board = Drawing(width, base + 150)
    for column, length in enumerate(rules.lengths):
        x = left + column * cell
        bottom = base - (tallest - length) * 15
        winner = next((player for player in (0, 1) if heights[player][column] == length), None)
        colour = WOOD if winner is None else mixed(WOOD, PLAYERS[winner], 0.6)
        for step in range(length):
            board.box(x + 3, bottom - (step + 1) * 30 + 3, cell - 6, 24, colour, 6)
        board.text(str(column + 2), x + cell / 2, bottom + 12, INK, 2, centred=True)
        for player, offset in ((0, -7), (1, 7)):
            if step := heights[player][column]:
                y = bottom - step * 30 + 15
                board.disc(x + cell / 2 + offset, y, 9, PLAYERS[player], edge=INK)
        climbed = [
            f"player {player} at {heights[player][column]}" for player in (0, 1) if heights[player][column]
        ]
        climbed += [f"runner at {runners[column]}"] if runners[column] else []
        board.say(f"Column {column + 2} of {length}: {', '.join(climbed)}." if climbed else "")
        if runners[column]:
            board.disc(x + cell / 2, bottom - runners[column] * 30 + 15, 9, WHITE, edge=PLAYERS[mover])
    if acting == TERMINAL:
        board.text(f"player {1 - mover} wins", left, base + 56, PLAYERS[1 - mover], 2)
        board.say(f"Player {1 - mover} wins.")
        return board
    board.disc(left + 12, base + 62, 12, PLAYERS[mover], edge=INK)
    if acting == CHANCE:
        said = "rolls"
    else:
        said = " / ".join(rules.action_name(position, mover, action) for action in rules.actions(position))
    board.say(f"Player {mover}: {said}.")
    board.tray = (left, base + 92, 40)
    board.text(said, left + 36, base + 56, INK, 2 if len(said) * 12 < width - left - 50 else 1)
    return board
