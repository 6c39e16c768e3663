"""Names the moves of yacht; dice to reroll are named by their faces, or by their places, counted from 1."""

import re
from typing import Any

from starspiel.envs.base import CHANCE
from starspiel.envs.plays.words import throw

_AGAIN = re.compile(r"Reroll dice: (\d+(?:,\d+)*)")
_DICE = re.compile(r"^Dice: ([\d ]+)$", re.MULTILINE)


def written(state: Any, player: int, action: int) -> str:
    """Returns the name of a move or an outcome: "reroll 3 4" rerolls a 3 and a 4."""
    name = str(state.action_to_string(player, action))
    if player == CHANCE:
        return throw(name) or name
    if again := places(state, action):
        faces = sorted(dice(state)[place - 1] for place in again)
        return f"reroll {' '.join(map(str, faces))}"
    return "keep all dice" if name.startswith("Keep all") else name.replace("Score in", "score")


def also(state: Any, action: int) -> tuple[str, ...]:
    """Returns other names of a move: "reroll dice 1 2", by the places of the dice."""
    again = places(state, action)
    return (f"reroll dice {' '.join(map(str, again))}",) if again else ()


def places(state: Any, action: int) -> tuple[int, ...]:
    """Returns the places, from 1, of the dice that a move rerolls."""
    again = _AGAIN.fullmatch(str(state.action_to_string(state.current_player(), action)))
    return () if again is None else tuple(int(place) + 1 for place in again[1].split(","))


def dice(state: Any) -> tuple[int, ...]:
    """Returns the faces of the dice, 0 for dice that have not been thrown."""
    found = _DICE.search(str(state))
    return () if found is None else tuple(map(int, found[1].split()))
