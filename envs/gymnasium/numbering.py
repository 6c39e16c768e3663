"""Composite finite action spaces as numbers: MultiDiscrete, MultiBinary, and Tuple and Dict of these.

Number 0 is the first action of each part; the last part varies fastest, as in `itertools.product`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray


@dataclass(frozen=True)
class _Leaf:
    """A Discrete, MultiDiscrete or MultiBinary space.

    Attributes:
        sizes: how many values each of its numbers may take.
        start: the least values.
        shape, dtype: of an array; an action of a Discrete has none and is an int.
        is_binary: whether it is a MultiBinary.
    """

    sizes: tuple[int, ...]
    start: NDArray[Any]
    shape: tuple[int, ...] | None
    dtype: Any
    is_binary: bool

    def build(self, digits: Iterator[int]) -> Any:
        values = [next(digits) for _ in self.sizes] + self.start
        return int(values[0]) if self.shape is None else values.astype(self.dtype).reshape(self.shape)

    def digits(self, action: Any) -> list[int]:
        values = np.ravel(action)
        if values.shape != (len(self.sizes),) or not np.array_equal(values, values.astype(np.int64)):
            raise ValueError
        return [int(digit) for digit in values - self.start]

    def masks(self, mask: Any) -> list[Any]:
        """The flags of each number, of a mask as `Space.sample` takes it."""
        if self.shape is None:
            return [mask]
        if self.is_binary:  # 0 and 1 are forced, 2 is free
            return [[bit in (0, 2), bit in (1, 2)] if bit in (0, 1, 2) else None for bit in np.ravel(mask)]
        for _ in self.shape[1:]:
            mask = [row for rows in mask for row in rows]
        return list(mask)


class Numbering:
    """The actions of a finite space, numbered from 0.

    Args:
        space: one that `is_finite` says yes to.

    Attributes:
        count: how many actions there are.
    """

    def __init__(self, space: spaces.Space[Any]) -> None:
        self._text = str(space)
        self._form = _form(space)  # not the space itself, whose generator clones would share
        self._sizes = tuple(size for leaf in _leaves(self._form) for size in leaf.sizes)
        self.count = prod(self._sizes)

    def action(self, number: int) -> Any:
        """The action with this number, as a member of the space."""
        digits = map(int, np.unravel_index(int(number), self._sizes))
        return _mapped(self._form, lambda leaf: leaf.build(digits))

    def number(self, action: Any) -> int:
        """The number of an action. Raises ValueError if it is no member of the space."""
        try:
            digits = [digit for leaf, part in _paired(self._form, action) for digit in leaf.digits(part)]
            return int(np.ravel_multi_index(digits, self._sizes))
        except (TypeError, ValueError):
            raise ValueError(f"expected an action of {self._text}, got {action!r}") from None

    def mask(self, given: Any) -> NDArray[np.bool_] | None:
        """A mask of the space's own kind as one flag per number; None if it is of no known kind.

        Understood are `Space.sample`'s masks (one array per part, nested as the space is) and one row of
        flags for all parts, as sb3-contrib has it (two flags per bit of a MultiBinary).
        """
        row = _as_row(given)
        try:
            if row is not None and len(row) == sum(self._sizes):
                masks: list[Any] = np.split(row, np.cumsum(self._sizes)[:-1])
            else:
                masks = [flags for leaf, part in _paired(self._form, given) for flags in leaf.masks(part)]
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
    """An environment whose actions are the numbers of its own: `Discrete(numbering.count)`."""

    def __init__(self, env: gymnasium.Env[Any, Any], numbering: Numbering) -> None:
        super().__init__(env)
        self.numbering = numbering
        self.action_space: Any = spaces.Discrete(numbering.count)

    def action(self, action: int) -> Any:
        return self.numbering.action(action)


def numbered_actions(env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    """The environment with its actions numbered from 0, if its own are finite but no numbers >= 0."""
    space: Any = env.action_space
    if not is_finite(space) or (isinstance(space, spaces.Discrete) and space.start >= 0):
        return env
    return NumberedActions(env, Numbering(space))


def is_finite(space: Any) -> bool:
    """Whether all actions of a space can be listed."""
    if isinstance(space, spaces.Tuple):
        return all(map(is_finite, space.spaces))
    if isinstance(space, spaces.Dict):
        return all(map(is_finite, space.spaces.values()))
    return isinstance(space, spaces.Discrete | spaces.MultiDiscrete | spaces.MultiBinary)


def as_given(env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    """The environment as its user made it, without `NumberedActions` around it."""
    return env.env if isinstance(env, NumberedActions) else env


def numbering_of(env: gymnasium.Env[Any, Any]) -> Numbering | None:
    """How the actions of an environment are numbered: by `NumberedActions` around it, or not at all."""
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, NumberedActions):
            return env.numbering
        env = env.env
    return None


def _form(space: Any) -> Any:
    """The space as tuples and dicts of leaves."""
    if isinstance(space, spaces.Tuple):
        return tuple(map(_form, space.spaces))
    if isinstance(space, spaces.Dict):
        return {key: _form(part) for key, part in space.spaces.items()}
    if isinstance(space, spaces.Discrete):
        return _Leaf((int(space.n),), np.array([int(space.start)]), None, None, False)
    if isinstance(space, spaces.MultiBinary):
        bits = prod(space.shape)
        return _Leaf((2,) * bits, np.zeros(bits, np.int64), space.shape, space.dtype, True)
    sizes = tuple(map(int, space.nvec.ravel()))
    return _Leaf(sizes, space.start.astype(np.int64).ravel(), space.shape, space.dtype, False)


def _leaves(form: Any) -> list[_Leaf]:
    return [leaf for leaf, _ in _paired(form, _mapped(form, lambda leaf: leaf))]


def _mapped(form: Any, made: Callable[[_Leaf], Any]) -> Any:
    if isinstance(form, tuple):
        return tuple(_mapped(part, made) for part in form)
    return {key: _mapped(part, made) for key, part in form.items()} if isinstance(form, dict) else made(form)


def _paired(form: Any, value: Any) -> Iterator[tuple[_Leaf, Any]]:
    """The leaves, each with its part of `value`. ValueError or TypeError if they do not fit."""
    if isinstance(form, _Leaf):
        yield form, value
        return
    if isinstance(form, dict):
        if not isinstance(value, Mapping) or set(value) != set(form):
            raise ValueError
        form, value = form.values(), [value[key] for key in form]
    for part, inner in zip(form, value, strict=True):
        yield from _paired(part, inner)


def _as_row(given: Any) -> NDArray[Any] | None:
    """A flat list, tuple or array of numbers as an array."""
    try:
        array = np.asarray(given)
    except ValueError:  # ragged
        return None
    return array if array.ndim == 1 and array.dtype.kind in "biuf" else None


def _in_words(action: Any) -> str:
    if isinstance(action, Mapping):
        return ", ".join(f"{key}={_in_words(part)}" for key, part in action.items())
    if isinstance(action, tuple):
        return f"({', '.join(map(_in_words, action))})"
    return str(action.tolist()) if isinstance(action, np.ndarray) else str(action)
