"""Observations put together from parts that are made once: float32 entries as bytes."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

_FLOAT32 = np.dtype(np.float32)


def entries_of(numbers: Iterable[float]) -> bytes:
    """Numbers as float32 entries."""
    return np.fromiter(numbers, np.float32).tobytes()


def vector(parts: Iterable[bytes]) -> NDArray[np.float32]:
    """The entries of all parts, one after another, as a new array."""
    return np.frombuffer(bytearray().join(parts), _FLOAT32)
