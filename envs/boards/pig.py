"""OpenSpiel's pig, drawn as the one that ships."""

import re
from typing import Any

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.drawing import Drawing
from starspiel.envs.games.pig import Pig, PigPosition

_NUMBERS = re.compile(r"Scores: (\d+) (\d+), Turn total: (\d+)\s+Current player: (-?\d+)")


def drawing(state: Any, viewer: int) -> Drawing | None:
    """None with more or fewer than two players."""
    found = _NUMBERS.search(str(state))
    if found is None:
        return None
    scores, total, mover = (int(found[1]), int(found[2])), int(found[3]), int(found[4])
    game = Pig(goal=state.get_game().get_parameters()["winscore"])
    if state.is_terminal():
        mover, acting = (0 if state.returns()[0] > 0 else 1), TERMINAL
    else:
        acting = CHANCE if state.is_chance_node() else mover
    return game.drawing(PigPosition(scores, total, mover, acting))
