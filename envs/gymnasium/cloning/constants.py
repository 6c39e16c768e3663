"""Finds objects in the modules and classes of an environment that its code may compare by identity."""

import sys
from collections.abc import Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any

import gymnasium

from starspiel.envs.gymnasium.cloning.copying import AnyEnv, is_of_library, layers
from starspiel.envs.gymnasium.cloning.dice import generators


def constants(env: AnyEnv) -> list[Any]:
    """Returns objects of classes without `__eq__` that are in a module or class of an environment, themselves
    or in a collection, such as `GOAL = Tile("goal")`. Those with random generators are left out.
    """
    found: dict[int, Any] = {}
    for kind in {kind: None for layer in layers(env) for kind in type(layer).__mro__}:
        if is_of_library(kind):
            continue
        for held in (*vars(sys.modules.get(kind.__module__, kind)).values(), *vars(kind).values()):
            for part in (held, *_items(held)):
                if _is_compared_by_identity(part):
                    found[id(part)] = part
    return [part for part in found.values() if not generators(part)]


def _items(held: Any) -> Iterable[Any]:
    if type(held) is dict:
        return list(held.values())
    return held if type(held) in (list, tuple, set, frozenset) else ()


def _is_compared_by_identity(part: Any) -> bool:
    kind: Any = type(part)
    if kind is object:
        return True
    code = (type, ModuleType, FunctionType, gymnasium.Env, Mapping)
    return not issubclass(kind, code) and kind.__eq__ is object.__eq__ and not is_of_library(kind)
