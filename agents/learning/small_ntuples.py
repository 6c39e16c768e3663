"""Weights of n-tuple networks made small: few levels, and only those that were learnt most."""

import zlib

import numpy as np
from numpy.typing import NDArray

#: Magnitudes that are not 0; with their signs and 0 they fit a byte.
_LEVELS = 127
#: The greatest 16-bit weight.
_GREATEST = 32767
#: Bytes of the weights of a small file, which then takes less than 1 MB.
_MOST_BYTES = 980_000


def small_weights(weights: NDArray[np.float32], learnt: NDArray[np.float32]) -> NDArray[np.int16]:
    """The weights in units of the greatest magnitude / 32767, as few numbers that take less than 1 MB.

    The k-th of 127 levels is k^2 / 127^2 of the greatest: finer where weights are small. Where that is not
    small enough, those that were learnt least are 0.

    Args:
        learnt: how much each weight was learnt: the sum of the magnitudes of its errors.
    """
    greatest = max(float(np.abs(weights).max()), 1e-3)
    steps = np.rint(np.sqrt(np.abs(weights) / np.float32(greatest)) * _LEVELS).astype(np.int16)
    levels = np.rint(_GREATEST * (np.arange(_LEVELS + 1) / _LEVELS) ** 2).astype(np.int16)
    whole: NDArray[np.int16] = np.where(weights < 0, -levels[steps], levels[steps])
    codes = np.where(weights < 0, -steps, steps).astype(np.int8)
    order = np.argsort(learnt, kind="stable")
    few, many = int(np.count_nonzero(learnt == 0)), len(weights)  # of those learnt least, set to 0
    if _bytes(codes) <= _MOST_BYTES:
        return whole
    while many - few > len(weights) // 256:
        middle = (few + many) // 2
        tried = codes.copy()
        tried[order[:middle]] = 0
        few, many = (few, middle) if _bytes(tried) <= _MOST_BYTES else (middle, many)
    whole[order[:many]] = 0
    return whole


def _bytes(codes: NDArray[np.int8]) -> int:
    return len(zlib.compress(codes.tobytes(), 6))
