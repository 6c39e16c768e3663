"""Refuses rules that change positions in place, when they are first searched."""

import random
import re
import time
from typing import Any
from weakref import WeakSet

import pyspiel

from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes
from starspiel.envs.errors import RulesError, shown
from starspiel.envs.gymnasium.table_state import TableState

#: The number of checked positions of a random game, that of successors of each, and a time limit in seconds.
_PLIES, _SUCCESSORS, _SECONDS = 12, 6, 0.05
#: The memory address in the default text of an object.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_FOUND_SOUND: WeakSet[Any] = WeakSet()


def refuse_changes(game: Game, state: Any) -> None:
    """Plays a few random moves from a state, once for each game, to check that states are not changed.

    Raises `RulesError` if looking at the successors of a state changes it, or if a second look shows others.
    States of OpenSpiel and of tables are not checked.
    """
    if isinstance(state, pyspiel.State | TableState) or not game.explicit_chance:
        return
    try:
        if game in _FOUND_SOUND:
            return
        change = _change(game, state)
        if change is None:
            _FOUND_SOUND.add(game)
    except Exception:  # a user's rules may raise anything; the search itself will report it
        return
    if change is not None:
        raise RulesError(
            "states stay as they are",
            f"{game.name}: {change}, so no search of it is right. Expected apply() (or child()) to return "
            "something new, and to leave the position that it is given as it is: make positions tuples or "
            "NamedTuples, or copy before changing",
        )


def _change(game: Game, state: Any) -> str | None:
    """Returns how a state changes, in words; None if no state does."""
    draw = random.Random(1)
    until = time.perf_counter() + _SECONDS
    for _ in range(_PLIES):
        if state.is_terminal() or time.perf_counter() > until:
            break
        chance = state.is_chance_node()
        actions = [a for a, _ in possible_outcomes(state)] if chance else list(state.legal_actions())
        before = _picture(state), hash(game.key(state))
        seen = [_picture(state.child(action)) for action in actions[:_SUCCESSORS]]
        if (_picture(state), hash(game.key(state))) != before:
            return f"looking at the successors of a state changed it, which was {shown(before[0][0])}"
        if [_picture(state.child(action)) for action in actions[:_SUCCESSORS]] != seen:
            return f"the same actions led elsewhere the second time, from the state {shown(before[0][0])}"
        state = state.child(draw.choice(actions))
    return None


def _picture(state: Any) -> tuple[Any, ...]:
    """Returns a snapshot of a state that does not change with it.

    Numbers are text in it, because NaN is not equal to itself.
    """
    player = state.current_player()
    legal = () if player in (CHANCE, TERMINAL) else tuple(state.legal_actions())
    outcomes = repr(state.chance_outcomes()) if player == CHANCE else ""
    return _ADDRESS.sub("", str(state)), player, legal, outcomes, repr(state.returns())
