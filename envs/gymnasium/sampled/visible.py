"""Reads the visible part of a step as hashable values."""

import math
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from starspiel.envs.gymnasium.cloning.clone import After
from starspiel.envs.gymnasium.masks import Mask, legal_actions
from starspiel.envs.gymnasium.players import Players

#: The maximum number of parts of an observation that are compared one by one; with more, only the whole is.
_PARTS = 32
_WHOLE = ("the observation", "the reward", "the end", "the legal actions")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@dataclass(frozen=True)
class View:
    """Reads what an environment shows.

    Attributes:
        name: the game's name, for errors.
        mask: the user's own function for the legal actions, if there is one.
    """

    name: str
    mask: Mask | None = None

    def legal_actions(self, at: After) -> Sequence[int]:
        """Returns the legal actions, wherever the environment provides them; () after the end."""
        return () if at.over else tuple(legal_actions(at.env, at.observation, at.info, self.mask, self.name))

    def visible(self, at: After) -> dict[str, Hashable]:
        """Returns what is seen after a step: observation, its parts, reward, end and legal actions."""
        seen: dict[str, Hashable] = dict(zip(_WHOLE, self.whole(at), strict=True))
        parts = list(_parts(at.observation, "observation"))
        if len(parts) <= _PARTS:
            seen.update(parts)
        return seen

    def whole(self, at: After) -> tuple[Hashable, ...]:
        """Returns all that is seen after a step as one key."""
        return as_key(at.observation), as_key(at.reward), at.over, self.legal_actions(at)


@dataclass(frozen=True)
class TurnsView(View):
    """A View that also reads whose turn it is."""

    players: Players | None = None

    def visible(self, at: After) -> dict[str, Hashable]:
        return View(self.name, self.mask).visible(at) | {"the player to move": self._mover(at)}

    def whole(self, at: After) -> tuple[Hashable, ...]:
        """Returns all that is seen after a step as one key, and the player to move (None for one player)."""
        return *super().whole(at), self._mover(at)

    def _mover(self, at: After) -> int | None:
        return None if at.over or self.players is None else self.players.mover(at.env, at.info, self.name)


def as_key(value: Any) -> Hashable:
    """Returns a hashable key that is equal for values that look alike; NaN equals NaN."""
    if isinstance(value, np.ndarray) and value.ndim and not value.dtype.hasobject:
        return (value.shape, value.dtype.str, value.tobytes())
    if isinstance(value, np.generic | np.ndarray):
        return as_key(value.tolist())
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value
    if value is None or isinstance(value, bool | int | str | bytes):
        return value
    if isinstance(value, Mapping):
        return ("mapping", tuple((as_key(key), as_key(inner)) for key, inner in value.items()))
    if isinstance(value, Sequence):
        return ("sequence", tuple(as_key(inner) for inner in value))
    if isinstance(value, set | frozenset):
        return ("set", frozenset(as_key(inner) for inner in value))
    if " object at 0x" in repr(value) and hasattr(value, "__dict__"):
        return (type(value).__name__, as_key(vars(value)))
    return _ADDRESS.sub("", repr(value))


def distance(one: Any, other: Any) -> float:
    """Returns the distance of two keys of `as_key`: differences of numbers, and 1 for each other part."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other)
    if not isinstance(one, tuple) or not isinstance(other, tuple) or len(one) != len(other):
        return float(one != other)
    if len(one) == 3 and isinstance(one[2], bytes) and one[:2] == other[:2]:  # an array
        first, second = (np.frombuffer(each[2], each[1]) for each in (one, other))
        if first.dtype.kind in "biuf":
            return float(np.abs(first.astype(float) - second.astype(float)).sum())
        return float(np.count_nonzero(first != second))
    return sum(map(distance, one, other))


def _parts(value: Any, name: str) -> Iterator[tuple[str, Hashable]]:
    """Yields the numbers and texts inside an observation with their names; at most one more than are used."""
    ahead, given = [(name, value)], 0
    while ahead and given <= _PARTS:
        name, value = ahead.pop()
        if isinstance(value, np.ndarray) and value.ndim:
            inner: Any = enumerate(value[: _PARTS + 1])
        elif isinstance(value, Mapping):
            inner = list(value.items())[: _PARTS + 1]
        elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
            inner = enumerate(value[: _PARTS + 1])
        else:
            given += 1
            yield name, as_key(value)
            continue
        ahead += [(f"{name}[{key!r}]", part) for key, part in inner]
