"""Assembles observations from cached parts, which are float32 entries as bytes."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

_FLOAT32 = np.dtype(np.float32)


def entries_of(numbers: Iterable[float]) -> bytes:
    """Returns numbers as float32 entries."""
    return np.fromiter(numbers, np.float32).tobytes()


def vector(parts: Iterable[bytes]) -> NDArray[np.float32]:
    """Returns the concatenated entries of all parts as a new array."""
    return np.frombuffer(bytearray().join(parts), _FLOAT32)
