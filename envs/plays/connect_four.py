"""Names the moves of Connect Four; columns are numbered from 1."""

from typing import Any


def written(state: Any, player: int, action: int) -> str:
    """Returns the name of a move."""
    return f"drop in column {action + 1}"
