"""Numbers the actions of composite finite spaces: MultiDiscrete, MultiBinary, and Tuple and Dict of these.

Number 0 is the first action of each part; the last part varies fastest, as in `itertools.product`.
"""

import copy
from collections.abc import Iterator, Mapping
from functools import cached_property, reduce
from math import prod
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray


class Numbering:
    """The actions of a finite space, numbered from 0.

    Args:
        space: a space for which `is_finite` returns True.

    Attributes:
        count: the number of actions.
    """

    def __init__(self, space: spaces.Space[Any]) -> None:
        self._space = _without_dice(space)
        self._sizes = tuple(size for leaf, _ in _paired(space, space) for size in _sizes(leaf))
        self.count = prod(self._sizes)

    def action(self, number: int) -> Any:
        """Returns the action with this number, as a member of the space."""
        return _built(self._space, map(int, np.unravel_index(int(number), self._sizes)))

    def number(self, action: Any) -> int:
        """Returns the number of an action. Raises ValueError if it is not a member of the space."""
        try:
            digits = [digit for leaf, part in _paired(self._space, action) for digit in _digits(leaf, part)]
            return int(np.ravel_multi_index(digits, self._sizes))
        except (TypeError, ValueError):
            raise ValueError(f"expected an action of {self._space}, got {action!r}") from None

    def mask(self, given: Any) -> NDArray[np.bool_] | None:
        """Returns a mask of the space as one flag per number; None if its format is not known.

        Known formats are the masks of `Space.sample` (one array per part, nested like the space), and one row
        of flags for all parts, as in sb3-contrib (two flags per bit of a MultiBinary).
        """
        try:
            row = np.asarray(given)
        except ValueError:  # ragged
            row = np.zeros((0, 0))
        try:
            if row.ndim == 1 and row.dtype.kind in "biuf" and len(row) == sum(self._sizes):
                masks: list[Any] = np.split(row, np.cumsum(self._sizes)[:-1])
            else:
                masks = [flags for leaf, part in _paired(self._space, given) for flags in _masks(leaf, part)]
            shapes = [np.shape(flags) for flags in masks]
        except (TypeError, ValueError):
            return None
        if shapes != [(size,) for size in self._sizes] or not all(np.isin(m, (0, 1)).all() for m in masks):
            return None
        allowed: NDArray[np.bool_] = reduce(np.logical_and.outer, [np.asarray(m, bool) for m in masks])
        return allowed.ravel()

    @cached_property
    def names(self) -> dict[int, str]:
        """The actions in words, by number."""
        return {number: _in_words(self.action(number)) for number in range(self.count)}

    def __deepcopy__(self, memo: object) -> "Numbering":
        return self  # never changes


class NumberedActions(gymnasium.ActionWrapper[Any, int, Any]):
    """An environment whose actions are the numbers of the original actions: `Discrete(numbering.count)`."""

    def __init__(self, env: gymnasium.Env[Any, Any], numbering: Numbering) -> None:
        super().__init__(env)
        self.numbering = numbering
        self.action_space: Any = spaces.Discrete(numbering.count)

    def action(self, action: int) -> Any:
        return self.numbering.action(action)


def numbered_actions(env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    """Returns the environment with its actions numbered from 0 if they are finite but not numbers >= 0."""
    space: Any = env.action_space
    if not is_finite(space) or (isinstance(space, spaces.Discrete) and space.start >= 0):
        return env
    return NumberedActions(env, Numbering(space))


def is_finite(space: Any) -> bool:
    """Returns whether all actions of a space can be listed."""
    if isinstance(space, spaces.Tuple | spaces.Dict):
        return all(map(is_finite, _inner(space)))
    return isinstance(space, spaces.Discrete | spaces.MultiDiscrete | spaces.MultiBinary)


def as_given(env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    """Returns the environment as its user made it, without `NumberedActions` around it."""
    return env.env if isinstance(env, NumberedActions) else env


def numbering_of(env: gymnasium.Env[Any, Any]) -> Numbering | None:
    """Returns the numbering of the `NumberedActions` around an environment; None if there is none."""
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, NumberedActions):
            return env.numbering
        env = env.env
    return None


def as_stepped(env: gymnasium.Env[Any, Any], action: int) -> Any:
    """Returns the action as the user's own `step` takes it, for messages."""
    numbering = numbering_of(env)
    return action if numbering is None else numbering.action(action)


def _inner(space: Any) -> list[Any]:
    return list(space.spaces.values() if isinstance(space, spaces.Dict) else space.spaces)


def _without_dice(space: Any) -> Any:
    """Returns a copy without generators, because clones would share them."""
    duplicate = copy.deepcopy(space)
    for part in (duplicate, *(leaf for leaf, _ in _paired(duplicate, duplicate))):
        part._np_random = None
    return duplicate


def _sizes(leaf: Any) -> list[int]:
    """Returns how many values each component of a space may take."""
    if isinstance(leaf, spaces.MultiBinary):
        return [2] * prod(leaf.shape)
    return [int(size) for size in np.ravel(leaf.n if isinstance(leaf, spaces.Discrete) else leaf.nvec)]


def _built(space: Any, digits: Iterator[int]) -> Any:
    """Returns the action with these digits."""
    if isinstance(space, spaces.Dict):
        return {key: _built(part, digits) for key, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_built(part, digits) for part in space.spaces)
    values = np.array([next(digits) for _ in _sizes(space)]) + np.ravel(getattr(space, "start", 0))
    if isinstance(space, spaces.Discrete):
        return int(values[0])
    return values.astype(space.dtype).reshape(space.shape)


def _digits(leaf: Any, action: Any) -> list[int]:
    values = np.ravel(action)
    if values.shape != (len(_sizes(leaf)),) or not np.array_equal(values, values.astype(np.int64)):
        raise ValueError
    return [int(digit) for digit in values - np.ravel(getattr(leaf, "start", 0))]


def _masks(leaf: Any, mask: Any) -> list[Any]:
    """Returns the flags of each component, from a mask in the format of `Space.sample`."""
    if isinstance(leaf, spaces.Discrete):
        return [mask]
    if isinstance(leaf, spaces.MultiBinary):  # 0 and 1 are forced, 2 is free
        return [[bit in (0, 2), bit in (1, 2)] if bit in (0, 1, 2) else None for bit in np.ravel(mask)]
    for _ in leaf.shape[1:]:
        mask = [row for rows in mask for row in rows]
    return list(mask)


def _paired(space: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """Yields the innermost spaces with their parts of `value`. A mismatch is a ValueError or TypeError."""
    if not isinstance(space, spaces.Tuple | spaces.Dict):
        yield space, value
        return
    parts = _inner(space)
    if value is space:
        value = parts
    elif isinstance(space, spaces.Dict):
        if not isinstance(value, Mapping) or set(value) != set(space.spaces):
            raise ValueError
        value = [value[key] for key in space.spaces]
    for part, inner in zip(parts, value, strict=True):
        yield from _paired(part, inner)


def _in_words(action: Any) -> str:
    if isinstance(action, Mapping):
        return ", ".join(f"{key}={_in_words(part)}" for key, part in action.items())
    if isinstance(action, tuple):
        return f"({', '.join(map(_in_words, action))})"
    return str(action.tolist()) if isinstance(action, np.ndarray) else str(action)
