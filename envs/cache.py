"""Bounded caches of pure functions; a full cache is emptied."""

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
AnyT = TypeVar("AnyT")
MadeT = TypeVar("MadeT")


class Cache(dict[KeyT, MadeT]):
    """A cache in which `cache[key]` is `make(key)`, computed once.

    Deep copies share the cache. In other processes it starts empty.

    Args:
        make: a pure function at module level, or a `partial` of one, so that the cache can be pickled.
        most: the maximum number of entries.
    """

    def __init__(self, make: Callable[[KeyT], MadeT], most: int = 2**14) -> None:
        super().__init__()
        self._make, self._most = make, most

    def __missing__(self, key: KeyT) -> MadeT:
        if len(self) >= self._most:
            self.clear()
        made = self[key] = self._make(key)
        return made

    def __deepcopy__(self, memo: object) -> "Cache[KeyT, MadeT]":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Cache, (self._make, self._most)


class ByIdentity(Generic[AnyT, MadeT]):
    """A cache in which `cache(thing)` is `make(thing)`, computed once for each object of the type `kind`.

    Objects of that type must be immutable. They are found by `id`, because hashing a long tuple takes longer.
    """

    def __init__(self, make: Callable[[AnyT], MadeT], kind: type = tuple, most: int = 2**14) -> None:
        self._make, self._kind, self._most = make, kind, most
        self._known: dict[int, tuple[AnyT, MadeT]] = {}  # holds the things, so that their ids are not reused

    def __call__(self, thing: AnyT) -> MadeT:
        known = self._known.get(id(thing))
        if known is not None and known[0] is thing:
            return known[1]
        made = self._make(thing)
        if isinstance(thing, self._kind):
            if len(self._known) >= self._most:
                self._known.clear()
            self._known[id(thing)] = thing, made
        return made
