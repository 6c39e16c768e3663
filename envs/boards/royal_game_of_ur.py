"""Draws the Royal Game of Ur: numbered squares, pieces in hand at the left and pieces home at the right."""

from typing import Any

from starspiel.envs.base import TERMINAL
from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.games.royal_game_of_ur import TO_ROLL
from starspiel.envs.raster import GOLD, INK, PLAYERS, WOOD, mixed

#: In pixels: the size of a square, and the space left of and above the squares; then places off the board.
_CELL, _LEFT, _TOP = 64, 20, 70
_HAND, _OFF = "hand", "home"


def drawing(state: Any, viewer: int) -> Drawing:
    mover, roll, squares, home = state.position
    rules, pieces = state.rules, state.rules.pieces
    width = len(rules.board[0]) * _CELL
    board = Drawing(width + 2 * _LEFT, 3 * _CELL + 2 * _TOP)
    for numbers, (x, y, cell, _) in _squares(rules):
        square = numbers[mover] or numbers[1 - mover]
        board.box(x + 1, y + 1, cell - 2, cell - 2, WOOD, 6, edge=INK)
        if square in rules.rosettes:
            board.rosette(x + cell / 2, y + cell / 2, 26, GOLD)
        else:
            board.text(str(square), x + 8, y + 8, mixed(WOOD, INK, 0.75), 1)
        for player in (0, 1):
            if numbers[player] and squares[player] >> numbers[player] & 1:
                board.disc(x + cell / 2, y + cell / 2, 22, PLAYERS[player], edge=INK)
    for player, y in ((0, 34), (1, _TOP + 3 * _CELL + 34)):
        colour, hand = PLAYERS[player], pieces - squares[player].bit_count() - home[player]
        for index in range(hand):
            board.disc(_LEFT + 14 + index * 26, y, 11, colour, edge=INK)
        for index in range(home[player]):
            board.disc(_LEFT + width - 14 - index * 26, y, 11, mixed(colour, GOLD, 0.5))
        taken = [str(square) for square in range(rules.home) if squares[player] >> square & 1]
        board.say(
            f"Player {player}: {hand} in hand, on {' '.join(taken) or 'no square'}, {home[player]} home."
        )
        said = "wins" if home[player] == pieces else ""
        if player == mover and state.current_player() != TERMINAL:
            said = "rolls" if roll == TO_ROLL else f"rolled {roll}"
        if said:
            board.say(f"Player {player} {said}.")
            board.text(said, _LEFT + width / 2, y, colour, 2, centred=True)
    return board


def places(state: Any, viewer: int) -> dict[str, Area]:
    """Returns the areas of the mover's squares, by their numbers, of the pieces in hand, and of home."""
    mover = state.position.mover
    found = {str(numbers[mover]): area for numbers, area in _squares(state.rules) if numbers[mover]}
    columns = len(state.rules.board[0])
    y = 14 if mover == 0 else _TOP + 3 * _CELL + 14
    return {
        **found,
        _HAND: (_LEFT, y, 3 * _CELL, 40),
        _OFF: (_LEFT + (columns - 3) * _CELL, y, 3 * _CELL, 40),
    }


def steps(state: Any, action: int) -> tuple[tuple[str, str], ...]:
    """Returns the square that a piece leaves and the one it goes to."""
    target = action + state.position.roll
    home = state.rules.home
    return () if action == home else ((str(action or _HAND), _OFF if target == home else str(target)),)


def _squares(rules: Any) -> list[tuple[tuple[int, int], Area]]:
    """Returns the numbers of each square on both paths, and its area."""
    return [
        (numbers, (_LEFT + column * _CELL, _TOP + row * _CELL, _CELL, _CELL))
        for row, cells in enumerate(rules.board)
        for column, numbers in enumerate(cells)
        if any(numbers)
    ]
