"""Provides transposition tables for games that have keys, so that equal positions are searched once.

If a game's lines of play meet again, as in FrozenLake, a search of depth d visits at most states x d nodes,
instead of a number that multiplies with every ply.
"""

import sys
from collections.abc import Hashable
from typing import Any

import pyspiel

from starspiel.envs.base import Game, is_simultaneous

#: Approximate size of an entry: the key, the pair of key and depth, the value, and their slot in the
#: dictionary.
_ENTRY_BYTES = 400

#: If the discount so far is below this, the value to go cannot be computed from the value.
_LEAST_SCALE = sys.float_info.min


class IntervalTable:
    """Intervals that contain values to go, by key and depth. When full, it keeps its entries and adds none.

    The native engine's table (native/table.hpp) has the same meaning.
    """

    __slots__ = ("_capacity", "_entries", "_game")

    def __init__(self, game: Game, megabytes: int) -> None:
        self._game = game
        self._capacity = (megabytes << 20) // _ENTRY_BYTES
        self._entries: dict[tuple[Hashable, int], tuple[float, float, bool]] = {}

    def find(self, state: Any, depth: int) -> tuple[float, float, bool] | None:
        """Returns (low, high, exact): player 0's return is in [low, high]; `exact` if no evaluator was used.

        Returns None if nothing is known.
        """
        key = self._game.key(state)
        entry = None if key is None else self._entries.get((key, depth))
        if entry is None:
            return None
        collected, scale = self._game.frame(state)
        return collected + scale * entry[0], collected + scale * entry[1], entry[2]

    def keep(self, state: Any, depth: int, low: float, high: float, exact: bool) -> None:
        """Narrows the interval known for a search of `depth` plies from `state`."""
        place = self._game.key(state), depth
        if place[0] is None:
            return
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
    """Vectors to go, by key and depth, of games whose values are vectors. When full, it adds no entries."""

    __slots__ = ("_capacity", "_entries", "_game")

    def __init__(self, game: Game, megabytes: int) -> None:
        self._game = game
        self._capacity = (megabytes << 20) // _ENTRY_BYTES
        self._entries: dict[tuple[Hashable, int], tuple[tuple[float, ...], bool]] = {}

    def find(self, state: Any, depth: int) -> tuple[tuple[float, ...], bool] | None:
        """Returns (every player's return, whether no evaluator was used); None if nothing is known."""
        entry = self._entries.get((self._game.key(state), depth))
        if entry is None or not self._game.step_rewards:
            return entry
        vector, exact = entry
        return tuple(so_far + rest for so_far, rest in zip(state.returns(), vector, strict=True)), exact

    def keep(self, state: Any, depth: int, vector: tuple[float, ...], exact: bool) -> None:
        """Stores the result of a search of `depth` plies from `state` that is exact within its depth."""
        if len(self._entries) >= self._capacity:
            return
        if self._game.step_rewards:
            vector = tuple(value - so_far for value, so_far in zip(vector, state.returns(), strict=True))
        self._entries[self._game.key(state), depth] = vector, exact


def has_keys(root: Any, game: Game) -> bool:
    """Returns whether a search from `root` can use a table.

    For OpenSpiel's states in which players move in turn it cannot: making their keys in Python would cost
    more than the nodes saved, and the native engine has a table.
    """
    return (is_simultaneous(game) or not isinstance(root, pyspiel.State)) and game.key(root) is not None
