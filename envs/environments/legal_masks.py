"""LegalMasks: masks of legal actions, each made once."""

import numpy as np
from numpy.typing import NDArray

#: Bytes of masks that are kept.
_KEPT = 2**20


class LegalMasks(dict[tuple[int, ...], NDArray[np.int8]]):
    """The mask (int8, read-only) of each tuple of legal actions, which equal ones share.

    Args:
        size: the number of actions.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def __missing__(self, legal: tuple[int, ...]) -> NDArray[np.int8]:
        mask = np.zeros(self._size, np.int8)
        mask[list(legal)] = 1
        mask.flags.writeable = False
        if len(self) * self._size > _KEPT:
            self.clear()
        self[legal] = mask
        return mask

    def __deepcopy__(self, memo: object) -> "LegalMasks":
        return self  # What is made here never changes.

    def __reduce__(self) -> tuple[type["LegalMasks"], tuple[int]]:
        return LegalMasks, (self._size,)
