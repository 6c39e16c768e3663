"""Boards: draw positions for pages, the terminal and search trees."""

from starspiel.envs.boards.board import (
    board_html,
    board_of,
    board_pixels,
    board_text,
    hands_of,
    last_moves,
    places_of,
    side_of,
    steps_of,
    ways_of,
)

__all__ = [
    "board_html",
    "board_of",
    "board_pixels",
    "board_text",
    "hands_of",
    "last_moves",
    "places_of",
    "side_of",
    "steps_of",
    "ways_of",
]
