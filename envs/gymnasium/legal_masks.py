"""LegalMasks: masks of legal actions, each made once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

#: Bytes of masks that are kept.
_KEPT = 2**20


class LegalMasks:
    """A function from legal actions to their mask (int8, read-only), which equal sets of actions share.

    Args:
        size: the number of actions.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._made: dict[tuple[int, ...], NDArray[np.int8]] = {}

    def __call__(self, legal: Sequence[int]) -> NDArray[np.int8]:
        key = tuple(legal)
        mask = self._made.get(key)
        if mask is None:
            mask = np.zeros(self._size, np.int8)
            mask[list(key)] = 1
            mask.flags.writeable = False
            if len(self._made) * self._size > _KEPT:
                self._made.clear()
            self._made[key] = mask
        return mask

    def __deepcopy__(self, memo: object) -> "LegalMasks":
        return self  # What is made here never changes.

    def __reduce__(self) -> tuple[type["LegalMasks"], tuple[int]]:
        return LegalMasks, (self._size,)
