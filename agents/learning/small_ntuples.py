"""Compresses the weights of n-tuple networks by rounding, more coarsely the less they were trained."""

import zlib

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.evaluators.ntuple_file import packed

#: The greatest 16-bit weight; and the exponent of the rounding step, a power of two, at which all become 0.
_GREATEST, _NOTHING = 32767, 16
#: The most bytes of the weights of a small file, which then takes less than 3 MB.
_MOST_BYTES = 2_950_000
#: How close, as an exponent of two, the steps come to the finest with which the weights fit.
_NEAR = 0.02


def small_weights(
    weights: NDArray[np.float32], learnt: NDArray[np.float32]
) -> tuple[NDArray[np.int16], float]:
    """Returns the weights as whole numbers that take less than 3 MB in a file, and their unit.

    If they would take more, each is rounded to a multiple of a power of two. That step is inversely
    proportional to `learnt`, the sum of the magnitudes of its errors, so that many weights become 0.
    """
    places = np.flatnonzero(weights)
    small = np.zeros(len(weights), np.int16)
    if not len(places):
        return small, 1.0
    unit = float(np.abs(weights).max()) / _GREATEST
    fine, often = weights[places] / np.float32(unit), np.log2(learnt[places])
    if len(places) > _MOST_BYTES:  # each takes about a byte or more, so the rest would be 0 anyway
        ranks = np.log2(np.abs(fine)) + often
        first = np.sort(np.argpartition(ranks, -_MOST_BYTES)[-_MOST_BYTES:])
        places, fine, often = places[first], fine[first], often[first]

    def rounded(level: float) -> NDArray[np.int16]:
        steps = np.exp2(np.clip(np.rint(level - often), 0, _NOTHING))
        small[places] = np.clip(np.rint(fine / steps) * steps, -_GREATEST, _GREATEST)
        return small

    too_fine, fits = float(often.min()), float(often.max()) + _NOTHING
    if _bytes(rounded(too_fine)) <= _MOST_BYTES:
        return small, unit
    while fits - too_fine > _NEAR:
        level = (too_fine + fits) / 2
        too_fine, fits = (too_fine, level) if _bytes(rounded(level)) <= _MOST_BYTES else (level, fits)
    return rounded(fits), unit


def _bytes(weights: NDArray[np.int16]) -> int:
    """Returns the bytes that the weights take in a file."""
    return sum(len(zlib.compress(part.tobytes(), 6)) for part in packed(weights).values())
