"""Tables that keep what a search found, for games that have keys: equal positions are searched once.

In a game whose lines of play meet again, as those of FrozenLake do, a search of depth d visits states x d
nodes instead of a number that grows with every ply.
"""

import sys
from collections.abc import Hashable
from typing import Any

import pyspiel

from starspiel.envs.base import Game

#: What an entry takes, about: the key, the pair of key and depth, the value, their place in the dictionary.
_ENTRY_BYTES = 400

#: Where discounting leaves less than this of a value, nothing can be told of the value from it.
_LEAST_SCALE = sys.float_info.min


class IntervalTable:
    """Intervals that hold values to go, by key and depth. Full, it keeps what it has.

    The native engine's table (native/table.hpp) has the same meaning.
    """

    __slots__ = ("_capacity", "_entries", "_game")

    def __init__(self, game: Game, megabytes: int) -> None:
        self._game = game
        self._capacity = (megabytes << 20) // _ENTRY_BYTES
        self._entries: dict[tuple[Hashable, int], tuple[float, float, bool]] = {}

    def find(self, state: Any, depth: int) -> tuple[float, float, bool] | None:
        """(low, high, exact): player 0's return is in [low, high], with no part of an evaluator where exact.

        None where nothing is known.
        """
        entry = self._entries.get((self._game.key(state), depth))
        if entry is None:
            return None
        collected, scale = self._game.frame(state)
        return collected + scale * entry[0], collected + scale * entry[1], entry[2]

    def keep(self, state: Any, depth: int, low: float, high: float, exact: bool) -> None:
        """Narrows what is known of a search of `depth` plies from `state`."""
        place = self._game.key(state), depth
        collected, scale = self._game.frame(state)
        if scale < _LEAST_SCALE:
            return
        low, high = (low - collected) / scale, (high - collected) / scale
        entry = self._entries.get(place)
        if entry is not None:
            low, high, exact = max(low, entry[0]), min(high, entry[1]), exact and entry[2]
        elif len(self._entries) >= self._capacity:
            return
        self._entries[place] = low, high, exact


class VectorTable:
    """Vectors to go, by key and depth, of games whose values are vectors. Full, it keeps what it has."""

    __slots__ = ("_capacity", "_entries", "_game")

    def __init__(self, game: Game, megabytes: int) -> None:
        self._game = game
        self._capacity = (megabytes << 20) // _ENTRY_BYTES
        self._entries: dict[tuple[Hashable, int], tuple[tuple[float, ...], bool]] = {}

    def find(self, state: Any, depth: int) -> tuple[tuple[float, ...], bool] | None:
        """(every player's return, whether no evaluator had a part in them); None where nothing is known."""
        entry = self._entries.get((self._game.key(state), depth))
        if entry is None or not self._game.step_rewards:
            return entry
        vector, exact = entry
        return tuple(so_far + rest for so_far, rest in zip(state.returns(), vector, strict=True)), exact

    def keep(self, state: Any, depth: int, vector: tuple[float, ...], exact: bool) -> None:
        """What a search of `depth` plies from `state` found, in which nothing was cut off that counts."""
        if len(self._entries) >= self._capacity:
            return
        if self._game.step_rewards:
            vector = tuple(value - so_far for value, so_far in zip(vector, state.returns(), strict=True))
        self._entries[self._game.key(state), depth] = vector, exact


def has_keys(root: Any, game: Game) -> bool:
    """Whether a search from `root` can keep what it finds by keys.

    OpenSpiel's states go without: making their keys in Python costs more than the nodes it saves, and the
    native engine has a table.
    """
    return not isinstance(root, pyspiel.State) and game.key(root) is not None
