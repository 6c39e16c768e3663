"""What the classes of an environment's parts hold: walked through once, and again when it has changed."""

import gc
from operator import is_
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from starspiel.envs.gymnasium.sampled.generators import (
    OPAQUE,
    Reach,
    is_of_library,
    may_throw,
    names_in,
)

_FIXED = (*OPAQUE, BuiltinFunctionType, frozenset, np.ndarray, property, tuple)
# What a name in a module is bound to for good.
_LASTING = (*OPAQUE, BuiltinFunctionType, FunctionType, type, ModuleType)


class Classes:
    """Classes, and all that they refer to: bases, functions and their closures, tables, objects.

    Attributes:
        known: each of these objects by its id, which is that of no other as long as it is kept here.
        holds_dice: whether there are generators or iterators among them.
    """

    def __init__(self) -> None:
        self.known: dict[int, Any] = {}
        self.holds_dice = False
        self._holders: list[Any] = []
        self._referred: list[Any] = []
        self._modules: dict[int, tuple[dict[str, Any], int]] = {}
        self._names: list[tuple[dict[str, Any], str, Any]] = []

    def add(self, cls: type) -> None:
        """Walks through one more class."""
        self.known[id(cls)] = cls
        if is_of_library(cls):
            return
        for held in Reach(cls, cls.__name__):
            if held is not cls and id(held) in self.known:
                continue
            self.known[id(held)] = held
            self.holds_dice |= may_throw(type(held))
            self._watch(held)
        self._referred = gc.get_referents(*self._holders)

    def have_changed(self) -> bool:
        """Whether any refers to other objects than it did; what is in an array of objects is not seen."""
        referred = gc.get_referents(*self._holders)
        return not (
            len(referred) == len(self._referred)
            and all(map(is_, referred, self._referred))
            and all(len(names) == size for names, size in self._modules.values())
            and all(names.get(name) is value for names, name, value in self._names)
        )

    def _watch(self, held: Any) -> None:
        if isinstance(held, type):
            if not is_of_library(held):
                self._holders += [held, *gc.get_referents(vars(held))]
        elif not isinstance(held, _FIXED):
            self._holders.append(held)
            if isinstance(held, FunctionType):
                self._watch_names(held)

    def _watch_names(self, function: FunctionType) -> None:
        """The names that a function finds in its module, where they may be bound anew one day."""
        names = function.__globals__
        self._modules[id(names)] = names, len(names)
        for name in names_in(function.__code__):
            value = names.get(name)
            if name in names and not isinstance(value, _LASTING):
                self._names.append((names, name, value))
