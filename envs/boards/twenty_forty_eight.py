"""OpenSpiel's 2048, drawn as the one that ships."""

from typing import Any

from starspiel.envs.base import CHANCE
from starspiel.envs.drawing import Drawing
from starspiel.envs.games.twenty_forty_eight import TwentyFortyEight, TwentyFortyEightPosition


def drawing(state: Any, viewer: int) -> Drawing:
    rows = [list(map(int, line.split())) for line in str(state).splitlines() if line.strip()]
    tiles = tuple(value.bit_length() - 1 if value else 0 for row in rows for value in row)
    acting = CHANCE if state.is_chance_node() else 0
    return TwentyFortyEight().drawing(TwentyFortyEightPosition(tiles, int(state.returns()[0]), acting))
