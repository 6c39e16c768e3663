"""Weights of n-tuple networks made small: rounded, and only those that matter most."""

import zlib

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.evaluators.ntuple_file import packed

#: The unit that weights are rounded to, as a part of their median magnitude. Large ones need it as fine as
#: small ones: a board's value is a sum of dozens, and moves differ by little.
_UNIT = 0.3
#: The greatest 16-bit weight.
_GREATEST = 32767
#: Bytes of the weights of a small file, which then takes less than 3 MB.
_MOST_BYTES = 2_950_000


def small_weights(
    weights: NDArray[np.float32], learnt: NDArray[np.float32], unit: float = 0.0
) -> tuple[NDArray[np.int16], float]:
    """Returns the weights as whole numbers that take less than 3 MB on file, and the unit they are in.

    If not all fit, those remain whose magnitude, times `learnt`, is greatest.

    Args:
        learnt: the sum of the magnitudes of each weight's errors: how often it was met.
        unit: if not 0, the unit; otherwise a part of the weights' median magnitude.
    """
    sizes = np.abs(weights[weights != 0])
    if not len(sizes):
        return np.zeros(len(weights), np.int16), 1.0
    unit = max(unit or _UNIT * float(np.median(sizes)), float(sizes.max()) / _GREATEST)
    whole = np.rint(weights / np.float32(unit)).astype(np.int16)
    places = np.flatnonzero(whole)
    ranked = places[np.argsort(-learnt[places] * np.abs(whole[places]))]

    def best(count: int) -> NDArray[np.int16]:
        kept = np.zeros(len(whole), np.int16)
        kept[ranked[:count]] = whole[ranked[:count]]
        return kept

    if _bytes(whole) <= _MOST_BYTES:
        return whole, unit
    fits, too_many = 0, len(ranked)
    while too_many - fits > 1 + len(ranked) // 1000:
        count = (fits + too_many) // 2
        fits, too_many = (count, too_many) if _bytes(best(count)) <= _MOST_BYTES else (fits, count)
    return best(fits), unit


def _bytes(weights: NDArray[np.int16]) -> int:
    """The bytes of the weights on file."""
    return sum(len(zlib.compress(part.tobytes(), 6)) for part in packed(weights).values())
