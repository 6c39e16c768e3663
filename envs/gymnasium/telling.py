"""What an environment says of a situation, wherever it keeps it: attributes, items, info and observation.

Each value goes by its path: `("env", "board", "turn")`, `("info", "next_player")`, `("observation", 4)`.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.gymnasium.sampled.clone import After
from starspiel.envs.gymnasium.sampled.copying import is_of_library
from starspiel.envs.gymnasium.sampled.dice import GENERATORS, OPAQUE, PLAIN

#: How to get to a value: where it was told, then attributes, keys and indices.
Path = tuple[Any, ...]

#: Values of an array, items of a container, and values in all that are looked at; how deep they may lie.
_CELLS, _ITEMS, _VALUES, _DEPTH = 800, 64, 1500, 5
_NO_VALUES = (
    *OPAQUE,
    *GENERATORS,
    gymnasium.Space,
    gymnasium.Env,
    type,
    FunctionType,
    MethodType,
    BuiltinFunctionType,
)


class Attribute(str):
    """An attribute's name in a path, where a plain text is a key."""

    __slots__ = ()


class Instance:
    """An object that a value refers to, known by its identity within an episode."""

    __slots__ = ("held",)

    def __init__(self, held: object) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instance) and self.held is other.held

    def __hash__(self) -> int:
        return id(self.held)


#: Paths to values that are numbers, texts, True, False, None, or an `Instance`, and to arrays of numbers.
Told = dict[Path, Any]


def in_words(path: Path, env: str = "") -> str:
    """A path as code; with `env`, code for an attribute of the environment so called."""
    root, *rest = path
    said = env if root in ("env", "wrapper") else str(root)
    for part in rest:
        if part == "flat" and isinstance(part, Attribute) and not env:
            continue
        if part is len:
            said = f"len({said})"
        elif isinstance(part, Attribute):
            said += f".{part}" if said else part
        else:
            said += f"[{part!r}]"
    return said


def told(at: After) -> Told:
    """All that is said of a situation, as values that stay as they are when the environment is stepped."""
    found: Told = {}
    size = 0
    for path, value in _values(at):
        size += value.size if isinstance(value, np.ndarray) else 1
        if size > _VALUES:
            break
        found[path] = value
    return found


def _values(at: After) -> Iterator[tuple[Path, Any]]:
    layer: Any = at.env
    ahead: deque[tuple[Path, Any]] = deque()
    while isinstance(layer, gymnasium.Wrapper):
        if not is_of_library(type(layer)):
            ahead += ((("wrapper", key), value) for key, value in _attributes(layer))
        layer = layer.env
    ahead += ((("env", key), value) for key, value in _attributes(layer) if key != "P")  # a table
    ahead += ((("info", key), value) for key, value in at.info.items())
    ahead.append((("observation",), at.observation))
    seen: set[int] = set()
    while ahead:
        path, value = ahead.popleft()
        if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
            value = value.item()
        if type(value) in PLAIN:
            yield path, value
        elif isinstance(value, Enum):
            yield path, value.name
        elif isinstance(value, np.ndarray):
            if value.dtype.kind in "biuf" and value.size <= _CELLS:
                flat = path if value.ndim == 1 else (*path, Attribute("flat"))
                yield flat, value.astype(float).ravel()
        elif not isinstance(value, _NO_VALUES):
            yield path, Instance(value)
            if isinstance(value, list | set | deque | dict):
                yield (*path, len), len(value)
            if id(value) not in seen and len(path) < _DEPTH:
                seen.add(id(value))
                ahead += (((*path, key), part) for key, part in _parts(value))


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """The items of a container, or the attributes of an object, each with its key or name."""
    if isinstance(value, Mapping):
        if len(value) <= _ITEMS:
            yield from ((key, part) for key, part in value.items() if isinstance(key, str | int | tuple))
    elif isinstance(value, list | tuple | deque):
        if len(value) <= _ITEMS:
            yield from enumerate(value)
    else:
        yield from _attributes(value)


def _attributes(value: Any) -> Iterator[tuple[Attribute, Any]]:
    """What an object holds, and what its properties say."""
    kind = type(value)
    if hasattr(value, "__dict__"):
        yield from ((Attribute(name), part) for name, part in vars(value).items() if name != "env")
    for cls in kind.__mro__:
        if is_of_library(cls):
            continue
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, name):
                yield Attribute(name), getattr(value, name)
        for name, part in vars(cls).items():
            if isinstance(part, property):
                try:
                    yield Attribute(name), getattr(value, name)
                except Exception:  # whatever a user's property raises; it says nothing then
                    continue
