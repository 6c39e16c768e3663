"""Containers that an environment's classes and modules keep, which clones share and steps change."""

import pickle
import sys
from collections import deque
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.gymnasium.sampled.clone import AnyEnv

_CONTAINERS = (list, dict, set, deque, bytearray, np.ndarray)
#: Entries of the largest container that is kept an eye on; larger ones are tables.
_LARGEST = 4096
_LIBRARIES = {*sys.stdlib_module_names, "gymnasium", "numpy", "open_spiel", "pyspiel"} - {"__main__"}


class ClassState:
    """What the containers of an environment's classes, and of globals that their methods name, hold now."""

    def __init__(self, env: AnyEnv) -> None:
        self._kept = [
            (owner, name, held, text)
            for owner, name, held in _containers(env)
            if (text := _pickled(held)) is not None
        ]

    def changed(self) -> str | None:
        """The first container that holds something else by now, as code; None where none does."""
        for owner, name, _, text in self._kept:
            if _pickled(vars(owner).get(name)) != text:
                return f"{owner.__name__}.{name}"
        return None

    def restore(self) -> None:
        """Puts back what they held."""
        for owner, name, held, text in self._kept:
            if _pickled(vars(owner).get(name)) != text:
                _refill(held, pickle.loads(text))
                setattr(owner, name, held)


def _containers(env: AnyEnv) -> Iterator[tuple[Any, str, Any]]:
    """(class or module, name, container) of all layers of the environment."""
    layer: Any = env
    owners: dict[int, Any] = {}
    while True:
        for kind in type(layer).__mro__:
            if kind.__module__.partition(".")[0] not in _LIBRARIES:
                owners[id(kind)] = kind
        if not isinstance(layer, gymnasium.Wrapper):
            break
        layer = layer.env
    for kind in owners.values():
        for name, held in vars(kind).items():
            if _watched(name, held):
                yield kind, name, held
        module = sys.modules.get(kind.__module__)
        named = {name for part in vars(kind).values() for name in _names_in(part)}
        for name in sorted(named):
            held = vars(module).get(name) if module else None
            if _watched(name, held):
                yield module, name, held


def _watched(name: str, held: Any) -> bool:
    return not name.startswith("__") and isinstance(held, _CONTAINERS)


def _names_in(part: Any) -> Iterator[str]:
    """The names that a method's code uses, that of the functions inside it included."""
    part = getattr(part, "__func__", getattr(part, "fget", part))
    ahead: list[CodeType] = [part.__code__] if isinstance(part, FunctionType) else []
    for code in ahead:  # grows on the way
        yield from code.co_names
        ahead += [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _pickled(held: Any) -> bytes | None:
    """What a container holds; None where it is large, or cannot be written down."""
    try:
        return pickle.dumps(held) if len(held) <= _LARGEST else None
    except Exception:  # whatever a user's own objects raise
        return None


def _refill(held: Any, content: Any) -> None:
    """Makes a container hold `content`, itself remaining the object that others refer to."""
    if isinstance(held, dict | set):
        held.clear()
        held.update(content)
    elif isinstance(held, deque):
        held.clear()
        held.extend(content)
    else:
        held[:] = content
