"""2048: rules and heuristic."""

from starspiel.envs.games.twenty_forty_eight.rules import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    TwentyFortyEight,
    TwentyFortyEightPosition,
)

__all__ = ["DOWN", "LEFT", "RIGHT", "UP", "TwentyFortyEight", "TwentyFortyEightPosition"]
