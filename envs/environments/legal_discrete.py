"""`LegalDiscrete`: an action space that samples only legal actions."""

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from starspiel.envs.cache import Cache

#: The maximum size of the cached masks, in bytes.
_MASKS = 2**20


class LegalDiscrete(gymnasium.spaces.Discrete):
    """Discrete actions; `sample()` draws only legal ones, with or without a mask.

    Without a mask, it draws from the actions that are legal now. If it is seeded during an episode, as
    Gymnasium's checkers do, a new episode is expected to start, and it draws from the actions that are legal
    after `reset(seed=seed)` until then.

    With the same seed and mask, it draws the same actions as `Discrete`.
    """

    def __init__(self, n: int, first_mask: Callable[[int], NDArray[np.int8]] | None) -> None:
        self._first_mask = first_mask
        self.legal = np.ones(n, np.int8)
        self.at_start = False
        self._marked = Cache(_marked)
        super().__init__(n)

    def seed(self, seed: int | None = None) -> Any:
        if seed is not None and not self.at_start and self._first_mask is not None:
            self.legal = self._first_mask(seed)
        return super().seed(seed)

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> Any:
        if mask is None and probability is None:
            mask = self.legal
        if probability is None and isinstance(mask, np.ndarray) and mask.dtype == np.int8 and mask.ndim == 1:
            legal = self._marked[mask.tobytes()] if len(mask) == self.n else None
            if legal:  # as Discrete draws, but without its check of the mask, which takes ten times as long
                return legal[self.np_random.integers(len(legal))]
        return super().sample(mask, probability)

    def __getstate__(self) -> dict[str, Any]:
        # Spaces are sent to worker processes, but not the environment that computes the first mask.
        return {**self.__dict__, "_first_mask": None}


def masks_of(actions: int) -> Cache[tuple[int, ...], NDArray[np.int8]]:
    """Returns a cache of masks (int8, read-only) by tuples of legal actions; equal tuples share a mask."""
    return Cache(partial(_mask, actions), most=max(1, _MASKS // actions))


def _mask(actions: int, legal: tuple[int, ...]) -> NDArray[np.int8]:
    mask = np.zeros(actions, np.int8)
    mask[list(legal)] = 1
    mask.flags.writeable = False
    return mask


def _marked(mask: bytes) -> list[np.int64]:
    """Returns the actions that an int8 mask marks; [] if it has entries other than 0 and 1."""
    entries = np.frombuffer(mask, np.int8)
    return [] if ((entries != 0) & (entries != 1)).any() else list(np.flatnonzero(entries))
