"""Moves of Connect Four in words; columns are numbered from 1."""

from typing import Any


def written(state: Any, player: int, action: int) -> str:
    """What a move is called."""
    return f"drop in column {action + 1}"
