"""Sound keys for OpenSpiel's games with simultaneous moves; see keys.py.

Chance nodes have no key, because the text of those that follow joint moves does not show the moves.
"""

from collections.abc import Callable, Hashable
from typing import Any

import pyspiel

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.openspiel.keys import Counted, Key, KeyRule

#: Up to this many joint moves before the cut-off, their number is part of the key. No search looks further.
_FAR = 200


def joint_key_rule(game: pyspiel.Game) -> KeyRule | None:
    """Returns the key rule of a game with simultaneous moves; None if no sound key is known."""
    name = game.get_type().short_name
    if name in _RULES:
        return KeyRule(_at_decisions(_RULES[name](game)))
    is_one_shot = game.get_type().information == pyspiel.GameType.Information.ONE_SHOT
    return KeyRule(_at_decisions(lambda state: "start")) if is_one_shot else None


def _at_decisions(key: Key) -> Key:
    """Returns a key for all states, from a key for the states in which all players move."""

    def of_all(state: Any) -> Hashable | None:
        if state.is_terminal():
            return (TERMINAL, *state.returns())
        return None if state.current_player() == CHANCE else key(state)

    return of_all


def _goofspiel(game: pyspiel.Game) -> Key:
    """Returns a key of the hands, the points, the card to bid for, and the earlier cards in any order."""

    def key(state: Any) -> Hashable:
        hands, _, rest = str(state).partition("Point card sequence:")
        cards, _, points = rest.partition("\n")
        *before, now = cards.split()
        return hands, frozenset(before), now, points

    return key


def _text_until(game: pyspiel.Game) -> Key:
    """Returns the key of games whose text shows all but the number of joint moves before their `horizon`.

    A `horizon` of 0 or less means no cut-off.
    """
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
    """Returns the key of repeated games, in which past moves do not affect the future."""
    return lambda state: state.move_number()


_RULES: dict[str, Callable[[pyspiel.Game], Key]] = {
    "capture_the_flag": _capture_the_flag,
    "goofspiel": _goofspiel,
    "laser_tag": _text_until,
    "markov_soccer": _text_until,
    "oshi_zumo": _text_until,
    "repeated_game": _round,
}
