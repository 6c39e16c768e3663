"""Boards: what a position looks like, for pages, the terminal and the tree of a search.

Games of `Rules` draw themselves (`Rules.drawing`); OpenSpiel's have a file here each. What has no drawing is
shown as the text of its own.
"""

from starspiel.envs.boards.board import (
    board_html,
    board_of,
    board_pixels,
    board_text,
    places_of,
    side_of,
    steps_of,
)

__all__ = ["board_html", "board_of", "board_pixels", "board_text", "places_of", "side_of", "steps_of"]
