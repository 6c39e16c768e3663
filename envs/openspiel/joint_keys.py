"""Sound keys for OpenSpiel's games in which all players move at once: see keys.py.

Chance nodes have none, unless the text shows all: those that follow joint moves do not show the moves.
"""

from collections.abc import Callable, Hashable
from typing import Any

import pyspiel

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.openspiel.keys import Counted, Key, KeyRule

#: Joint moves before a cut-off from which on it is part of the key: no search looks further ahead.
_FAR = 200


def joint_key_rule(game: pyspiel.Game) -> KeyRule | None:
    """The key of a game of simultaneous moves; None if no sound one is known."""
    name = game.get_type().short_name
    if name in _RULES:
        return KeyRule(_at_decisions(_RULES[name](game)))
    is_one_shot = game.get_type().information == pyspiel.GameType.Information.ONE_SHOT
    return KeyRule(_at_decisions(lambda state: "start")) if is_one_shot else None


def _at_decisions(key: Key) -> Key:
    """A key of all states, from one of those in which all players move."""

    def of_all(state: Any) -> Hashable | None:
        if state.is_terminal():
            return (TERMINAL, *state.returns())
        return None if state.current_player() == CHANCE else key(state)

    return of_all


def _goofspiel(game: pyspiel.Game) -> Key:
    """The hands, the points, the card to bid for, and those before it in any order."""

    def key(state: Any) -> Hashable:
        hands, _, rest = str(state).partition("Point card sequence:")
        cards, _, points = rest.partition("\n")
        *before, now = cards.split()
        return hands, frozenset(before), now, points

    return key


def _text_until(game: pyspiel.Game) -> Key:
    """Of games that are cut off after `horizon` joint moves, if it is above 0; their text shows the rest."""
    horizon: int = game.get_parameters()["horizon"]

    def key(state: Any) -> Hashable:
        left = horizon - state.move_number()
        return str(state) if left > _FAR or horizon <= 0 else Counted(str(state), left)

    return key


def _capture_the_flag(game: pyspiel.Game) -> Key:
    horizon: int = game.get_parameters()["horizon"]

    def key(state: Any) -> Hashable:
        text, _, moves = str(state).partition("Moves: ")
        left = horizon - int(moves.partition("/")[0])
        return text if left > _FAR else Counted(text, left)

    return key


def _round(game: pyspiel.Game) -> Key:
    """Of repeated games: nothing of what was played changes what is to come."""
    return lambda state: state.move_number()


_RULES: dict[str, Callable[[pyspiel.Game], Key]] = {
    "capture_the_flag": _capture_the_flag,
    "goofspiel": _goofspiel,
    "laser_tag": _text_until,
    "markov_soccer": _text_until,
    "oshi_zumo": _text_until,
    "repeated_game": _round,
}
