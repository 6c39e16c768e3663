"""Tables that classes keep, known to hold only numbers and text: walked once, and again when they change."""

import gc
from operator import is_
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

#: Values with nothing in them.
PLAIN = {bool, bytes, complex, float, int, str, type(None)}
_FIXED = {tuple, frozenset}
_CONTAINERS = {dict, list, set, *_FIXED}


class _Table:
    """A container, and whether it and all in it hold only plain values.

    Attributes:
        plain: whether they did when looked through.
    """

    def __init__(self, held: Any) -> None:
        self._held = held
        #: What can change, with what it referred to.
        self._seen: list[tuple[Any, list[Any]]] = []
        self.plain = self._look_through()

    def is_known(self, held: Any) -> bool:
        """Whether what is known is still so; what has once held more than plain values is walked anyhow."""
        if held is not self._held:
            return False
        return not self.plain or all(_are_same(gc.get_referents(part), were) for part, were in self._seen)

    def _look_through(self) -> bool:
        ahead, passed = [self._held], set()
        for part in ahead:  # grows on the way
            kind = type(part)
            if kind is np.ndarray and not part.dtype.hasobject:
                continue
            if kind not in _CONTAINERS:
                self._seen.clear()
                return False
            if id(part) not in passed:
                passed.add(id(part))
                referred = gc.get_referents(part)
                if kind not in _FIXED:
                    self._seen.append((part, referred))
                ahead += [inner for inner in referred if type(inner) not in PLAIN]
        return True


def _are_same(referred: list[Any], were: list[Any]) -> bool:
    return len(referred) == len(were) and all(map(is_, referred, were))


# By class and attribute; a class that is gone takes its tables along.
_KNOWN: WeakKeyDictionary[type, dict[str, _Table]] = WeakKeyDictionary()


def is_plain_table(owner: type, attribute: str, held: Any) -> bool:
    """Whether `held`, an attribute of a class, is a container of plain values, containers of such, and so on.

    What has been looked through is not looked through again as long as no container in it holds other things
    than it did; that costs a comparison of references.
    """
    if type(held) not in _CONTAINERS:
        return False
    tables = _KNOWN.setdefault(owner, {})
    known = tables.get(attribute)
    if known is None or not known.is_known(held):
        known = tables[attribute] = _Table(held)
    return known.plain
