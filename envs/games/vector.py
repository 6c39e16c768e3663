"""Observations put together from parts that are made once: float32 entries as bytes."""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


def entries_of(numbers: Iterable[float]) -> bytes:
    """Numbers as float32 entries."""
    return np.fromiter(numbers, np.float32).tobytes()


@lru_cache(maxsize=2**12)
def entry(number: float) -> bytes:
    """One number as a float32 entry."""
    return entries_of([number])


def vector(parts: Iterable[bytes]) -> NDArray[np.float32]:
    """The entries of all parts, one after another, as a new array."""
    return np.frombuffer(bytearray(b"".join(parts)), np.float32)
