"""Weights of n-tuple networks made small: few levels, and fewer weights if that costs little."""

import zlib

import numpy as np
from numpy.typing import NDArray

#: Magnitudes that are not 0; with their signs and 0 they fit a byte.
_LEVELS = 127
#: How much wider the levels lie for large weights: the k-th is k + _WIDER * k^3.
_WIDER = 3e-4
_HEIGHTS = np.arange(_LEVELS + 1) + _WIDER * np.arange(_LEVELS + 1) ** 3.0
#: The greatest 16-bit weight.
_GREATEST = 32767
#: Bytes of the weights of a small file, which then takes less than 3 MB.
_MOST_BYTES = 2_980_000
#: The price is sought on about so many weights, in runs of so many places.
_SOUGHT, _RUN = 500_000, 4096


def small_weights(weights: NDArray[np.float32], learnt: NDArray[np.float32]) -> NDArray[np.int16]:
    """The weights in units of the greatest magnitude / 32767, as few numbers that take less than 3 MB.

    Each takes the level that costs least: the square of how far it is off, times how much it matters, plus a
    price for each bit on file (rate-distortion optimised quantisation). The price is about the least by which
    the weights are small enough.

    `learnt` is the sum of the magnitudes of each weight's errors, by which it matters.
    """
    places = np.flatnonzero(weights)
    held = weights[places]
    sizes = np.abs(held) * np.float32(_HEIGHTS[-1] / max(float(np.abs(held).max(initial=0)), 1e-3))
    matters = learnt[places]
    matters /= max(float(matters.mean()) if len(matters) else 0.0, 1e-9)

    def coded(part: NDArray[np.bool_], price: float) -> NDArray[np.int8]:
        chosen = _cheapest(sizes[part], matters[part], price).astype(np.int8)
        return np.where(held[part] < 0, -chosen, chosen)

    codes = coded(np.ones(len(places), np.bool_), 0.0)
    if _bytes(places, codes) > _MOST_BYTES:
        drawn = np.random.default_rng(1).random(len(weights) // _RUN + 1) < _SOUGHT / len(places)
        part = drawn[places // _RUN]
        side_by_side = (drawn.cumsum() - 1)[places[part] // _RUN] * _RUN + places[part] % _RUN
        most = _MOST_BYTES * part.mean()
        low, high = -8.0, 16.0  # of the price, as powers of 2
        while high - low > 0.02:
            middle = (low + high) / 2
            fits = _bytes(side_by_side, coded(part, 2**middle)) <= most
            low, high = (low, middle) if fits else (middle, high)
        every = np.ones(len(places), np.bool_)
        while _bytes(places, codes := coded(every, 2**high)) > _MOST_BYTES:
            high += 0.05
    levels = np.rint(_GREATEST * _HEIGHTS / _HEIGHTS[-1]).astype(np.int16)
    whole = np.zeros(len(weights), np.int16)
    whole[places] = np.where(codes < 0, -levels[np.abs(codes)], levels[np.abs(codes)])
    return whole


def _cheapest(sizes: NDArray[np.float32], matters: NDArray[np.float32], price: float) -> NDArray[np.uint8]:
    """The levels that cost least, by the bits that each takes when all are chosen so."""
    heights = _HEIGHTS.astype(np.float32)
    nearest = np.searchsorted((heights[1:] + heights[:-1]) / 2, sizes).astype(np.uint8)
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


def _bytes(places: NDArray[np.intp], codes: NDArray[np.int8]) -> int:
    """What the file takes for them: where they are not 0, and what they are there."""
    kept = np.zeros(int(places.max(initial=0)) + 1, np.bool_)
    kept[places] = codes != 0
    return sum(len(zlib.compress(part.tobytes(), 6)) for part in (np.packbits(kept), codes[codes != 0]))
