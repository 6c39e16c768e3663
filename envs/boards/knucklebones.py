"""Draws Knucklebones, with player 1's grid upside down, so that opposing columns face each other."""

from typing import Any

from starspiel.envs.base import TERMINAL
from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.games.knucklebones import column_score, score
from starspiel.envs.raster import GOLD, PAPER, PLAYERS, WHITE, WOOD, mixed

_CELL, _LEFT, _TOP = 60, 30, 20
HANDS = "Click a column of yours to put the die there."


def drawing(state: Any, viewer: int) -> Drawing:
    rules, position = state.rules, state.position
    cell, left, top = _CELL, _LEFT, _TOP
    width, height = rules.columns * cell, rules.rows * cell
    board = Drawing(width + 200, 2 * height + 120)
    middle = top + height + 40
    for player, grid in enumerate(position.grids):
        colour = PLAYERS[player]
        y = top if player == 1 else middle + 40
        board.box(left - 6, y - 6, width + 12, height + 12, mixed(WOOD, colour, 0.3), 10)
        for index, column in enumerate(grid):
            x = left + index * cell
            for row in range(rules.rows):
                down = y + (row if player == 0 else rules.rows - 1 - row) * cell
                board.box(x + 3, down + 3, cell - 6, cell - 6, PAPER, 8)
                if row < len(column):
                    # Equal dice are tinted: two gold, three or more a deeper gold.
                    tint = mixed(WHITE, GOLD, min(1.0, 0.5 * (column.count(column[row]) - 1)))
                    board.die(x + 8, down + 8, cell - 16, column[row], tint)
            line = middle - 14 if player == 1 else middle + 16
            board.text(str(column_score(column)), x + 0.5 * cell, line, colour, 2, centred=True)
        side = left + width + 24
        columns = "; ".join(" ".join(map(str, column)) or "empty" for column in grid)
        board.say(f"Player {player} has {score(grid)}, columns {columns}.")
        board.text(f"player {player}", side, y, colour, 2)
        board.text(str(score(grid)), side, y + 26, colour, 4)
        if position.mover == player and position.acting != TERMINAL:
            board.die(side, y + 70, 44, position.die, mixed(WHITE, colour, 0.25))
            board.say(f"Player {player} rolled {position.die}." if position.die else "")
    return board


def places(state: Any, viewer: int) -> dict[str, Area]:
    """Returns the areas of the mover's columns."""
    rules, mover = state.rules, state.position.mover
    height = rules.rows * _CELL
    y = _TOP if mover == 1 else _TOP + height + 80
    return {
        f"column {column + 1}": (_LEFT + column * _CELL, y, _CELL, height) for column in range(rules.columns)
    }


def steps(state: Any, action: int) -> tuple[tuple[str, str], ...]:
    """Returns the step of the die into a column."""
    return (("", f"column {action + 1}"),)
