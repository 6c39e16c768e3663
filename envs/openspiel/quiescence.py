"""Positions of OpenSpiel's games that are not quiet, so that a search should not end there."""

from collections.abc import Callable
from typing import Any

import pyspiel

from starspiel.envs.base import CHANCE

_BANQI_SQUARES = 32


def quiet_rule(game: pyspiel.Game) -> Callable[[Any], bool] | None:
    """Returns the function that tells whether a non-terminal state is quiet; None for other games."""
    return _RULES.get(game.get_type().short_name)


def _banqi(state: Any) -> bool:
    """False if the player to move can capture."""
    if state.current_player() == CHANCE:
        return True
    board = str(state).split()[:_BANQI_SQUARES]
    # The first actions turn a piece over; the others go from square to square.
    moves = (action - _BANQI_SQUARES for action in state.legal_actions())
    return all(move < 0 or board[move % _BANQI_SQUARES] == "." for move in moves)


_RULES: dict[str, Callable[[Any], bool]] = {"banqi": _banqi}
