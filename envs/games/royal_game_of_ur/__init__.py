"""The Royal Game of Ur: rules, heuristic and encoder."""

from starspiel.envs.games.royal_game_of_ur.rules import (
    BOARD,
    HOME,
    PASS,
    ROSETTES,
    SAFE,
    SHARED,
    TO_ROLL,
    RoyalGameOfUr,
    UrPosition,
)

__all__ = ["BOARD", "HOME", "PASS", "ROSETTES", "SAFE", "SHARED", "TO_ROLL", "RoyalGameOfUr", "UrPosition"]
