"""Finds functions and weak references of an environment that copies of it would share."""

import gc
import weakref
from collections.abc import Iterable, Iterator
from contextlib import suppress
from types import FunctionType
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.gymnasium.cloning.copying import AnyEnv, ClonedBy, layers
from starspiel.envs.gymnasium.cloning.dice import OPAQUE, PLAIN

_PROXIES = (weakref.ProxyType, weakref.CallableProxyType)
#: The attribute in which wrappers of Gymnasium keep how they were made; steps do not use it.
_MADE_BY = "_saved_kwargs"
#: Types of objects that copy.deepcopy leaves as they are, although they lead to others.
_NOT_COPIED = (FunctionType, weakref.ref)


def stray(env: AnyEnv) -> str | None:
    """Returns which attribute of a clone reaches another environment by a function or a weak reference, such
    as "attribute 'effects' of Race"; None if none does.
    """
    own = list(layers(env))
    kinds: tuple[type, ...] = (gymnasium.Env, *{type(layer) for layer in own})
    for where, held, by_reference in _reached(own):
        if by_reference and issubclass(type(held), kinds):
            return where
    return None


def proxy(env: AnyEnv) -> str | None:
    """Returns which attribute of an environment holds a weak proxy, which copy.deepcopy makes another object
    of; None if none does.
    """
    return next((where for where, held, _ in _reached(list(layers(env))) if type(held) in _PROXIES), None)


def _reached(own: list[Any]) -> Iterator[tuple[str, Any, bool]]:
    """Yields (attribute in words, object, whether reached by a function or weak reference) of all parts."""
    ids = set(map(id, own))
    for layer in own:
        for attribute, root in getattr(layer, "__dict__", {}).items():
            if attribute == _MADE_BY or type(layer) is ClonedBy:
                continue
            ahead, seen = [(root, False)], {(id(root), False)}
            for held, by_reference in ahead:  # grows during the loop
                if id(held) in ids:
                    continue
                yield f"attribute {attribute!r} of {type(layer).__name__}", held, by_reference
                by_reference = by_reference or issubclass(type(held), _NOT_COPIED)
                for part in _parts(held):
                    kind = type(part)
                    opaque = issubclass(kind, OPAQUE) and kind is not FunctionType
                    if kind not in PLAIN and not opaque and (id(part), by_reference) not in seen:
                        seen.add((id(part), by_reference))
                        ahead.append((part, by_reference))


def _parts(held: Any) -> Iterable[Any]:
    kind = type(held)
    if kind is FunctionType:
        contents = []
        for cell in held.__closure__ or ():
            with suppress(ValueError):  # nothing in it yet
                contents.append(cell.cell_contents)
        return [*contents, held.__defaults__, held.__kwdefaults__]
    if issubclass(kind, weakref.ref):
        return [held()]
    if kind is np.ndarray:
        return held.ravel().tolist() if held.dtype.hasobject else []
    return gc.get_referents(held)
