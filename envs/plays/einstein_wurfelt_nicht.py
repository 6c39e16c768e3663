"""Names the moves, throws and setups of EinStein würfelt nicht!."""

import re
from typing import Any

from starspiel.envs.base import CHANCE
from starspiel.envs.plays.words import throw

_MOVE = re.compile(r"[BW](\d)-(\w+)(\*?)")
_STONE = re.compile(r"\|([bw])(\d)\|")
_WAYS = {"diag": "diagonally"}
_COLOURS = {"black": "b", "white": "w"}


def written(state: Any, player: int, action: int) -> str:
    """Returns the name of a move or an outcome; a setup is named by its stones, row by row."""
    name = str(state.action_to_string(player, action))
    if move := _MOVE.fullmatch(name):
        takes = ", takes" if move[3] else ""
        return f"move stone {move[1]} {_WAYS.get(move[2], move[2])}{takes}"
    if player == CHANCE and name.startswith("Placing"):
        colour = _COLOURS[name.split()[1]]
        placed = "".join(n for sign, n in _STONE.findall(str(state.child(action))) if sign == colour)
        return f"{colour}'s stones are placed: {' '.join(placed)}"
    return throw(name) or name
