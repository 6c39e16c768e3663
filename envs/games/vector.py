"""Observations put together from parts that are made once: float32 entries as bytes."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

KeyT = TypeVar("KeyT", bound=Hashable)
MadeT = TypeVar("MadeT")

_FLOAT32 = np.dtype(np.float32)
#: How many things a table holds until it starts anew.
_KEPT = 2**14


def entries_of(numbers: Iterable[float]) -> bytes:
    """Numbers as float32 entries."""
    return np.fromiter(numbers, np.float32).tobytes()


def vector(parts: Iterable[bytes]) -> NDArray[np.float32]:
    """The entries of all parts, one after another, as a new array."""
    return np.frombuffer(bytearray().join(parts), _FLOAT32)


class Made(dict[KeyT, MadeT]):
    """A table that makes what it is asked for and lacks: `table[key]` is `make(key)`, made once.

    Args:
        make: a pure function of a module, or `partial` of one, so that the table travels to worker processes.
    """

    def __init__(self, make: Callable[[KeyT], MadeT]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: KeyT) -> MadeT:
        if len(self) >= _KEPT:
            self.clear()
        made = self[key] = self._make(key)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Made, (self._make,)
