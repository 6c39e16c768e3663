"""Weights of n-tuple networks made small: few levels, and fewer if that costs little."""

import zlib

import numpy as np
from numpy.typing import NDArray

#: Magnitudes that are not 0; with their signs and 0 they fit a byte.
_LEVELS = 127
#: How much wider the levels lie for large weights: the k-th is k + _WIDER * k^3.
_WIDER = 3e-4
#: The greatest 16-bit weight.
_GREATEST = 32767
#: Bytes of the weights of a small file, which then takes less than 1 MB.
_MOST_BYTES = 980_000


def small_weights(weights: NDArray[np.float32], learnt: NDArray[np.float32]) -> NDArray[np.int16]:
    """The weights in units of the greatest magnitude / 32767, as few numbers that take less than 1 MB.

    Each takes the level that costs least: the square of how far it is off, times how much it matters, plus a
    price for each bit on file (rate-distortion optimised quantisation). The price is the least by which the
    weights are small enough.

    `learnt` is the sum of the magnitudes of each weight's errors; it matters by the square root of that.
    """
    steps = np.arange(_LEVELS + 1)
    heights = steps + _WIDER * steps**3.0
    greatest = max(float(np.abs(weights).max()), 1e-3)
    levels = np.rint(_GREATEST * heights / heights[-1]).astype(np.int16)
    places = np.flatnonzero(weights)
    sizes = np.abs(weights[places]) * np.float32(heights[-1] / greatest)
    matters = np.sqrt(learnt[places])
    matters /= max(float(matters.mean()) if len(matters) else 0.0, 1e-9)
    nearest = np.searchsorted((heights[1:] + heights[:-1]) / 2, sizes).astype(np.uint8)
    negative = weights[places] < 0
    codes = np.zeros(len(weights), np.int8)

    def coded(price: float) -> NDArray[np.int8]:
        chosen = _cheapest(sizes, matters, nearest, heights.astype(np.float32), price).astype(np.int8)
        codes[places] = np.where(negative, -chosen, chosen)
        return codes

    low, high = -8.0, 16.0  # of the price, as powers of 2
    if _bytes(coded(0.0)) > _MOST_BYTES:
        while high - low > 0.05:
            middle = (low + high) / 2
            low, high = (low, middle) if _bytes(coded(2**middle)) <= _MOST_BYTES else (middle, high)
        coded(2**high)
    whole: NDArray[np.int16] = np.where(codes < 0, -levels[np.abs(codes)], levels[np.abs(codes)])
    return whole


def _cheapest(
    sizes: NDArray[np.float32],
    matters: NDArray[np.float32],
    nearest: NDArray[np.uint8],
    heights: NDArray[np.float32],
    price: float,
) -> NDArray[np.uint8]:
    """The levels that cost least, by the bits that each takes when all are chosen so."""
    codes = nearest
    for _ in range(3 if price > 0 else 0):
        counts = np.bincount(codes, minlength=len(heights)) + 0.5
        bits = (price * (1 - np.log2(counts / counts.sum()))).astype(np.float32)  # with one for the sign
        bits[0] -= price
        least = np.full(len(sizes), np.inf, np.float32)
        for tried in (nearest, nearest - np.minimum(nearest, 1), nearest // 2, np.zeros_like(nearest)):
            cost = matters * (heights[tried] - sizes) ** 2 + bits[tried]
            codes = np.where(cost < least, tried, codes)
            least = np.minimum(cost, least)
    return codes


def _bytes(codes: NDArray[np.int8]) -> int:
    """What the file takes for them: where they are not 0, and what they are there."""
    kept = codes != 0
    return sum(len(zlib.compress(part.tobytes(), 6)) for part in (np.packbits(kept), codes[kept]))
