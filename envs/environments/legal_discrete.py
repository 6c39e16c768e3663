"""`LegalDiscrete`: an action space with masks."""

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from starspiel.envs.cache import Cache

#: Bytes of masks that are kept.
_MASKS = 2**20


class LegalDiscrete(gymnasium.spaces.Discrete):
    """Discrete actions; `sample()` draws legal ones only, with or without a mask.

    Without a mask it draws among the actions legal now. Seeding it in the middle of an episode announces a
    new one, as Gymnasium's checkers do: until then it draws among those legal after `reset(seed=seed)`.

    It draws what `Discrete` draws with the same seed and mask.
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
            if legal:  # what Discrete does after it has looked at the mask, which takes ten times as long
                return legal[self.np_random.integers(len(legal))]
        return super().sample(mask, probability)

    def __getstate__(self) -> dict[str, Any]:
        # Spaces travel to worker processes; the environment that knows the first mask stays here.
        return {**self.__dict__, "_first_mask": None}


def masks_of(actions: int) -> Cache[tuple[int, ...], NDArray[np.int8]]:
    """The mask (int8, read-only) of each tuple of legal actions, which equal ones share."""
    return Cache(partial(_mask, actions), most=max(1, _MASKS // actions))


def _mask(actions: int, legal: tuple[int, ...]) -> NDArray[np.int8]:
    mask = np.zeros(actions, np.int8)
    mask[list(legal)] = 1
    mask.flags.writeable = False
    return mask


def _marked(mask: bytes) -> list[np.int64]:
    """The actions that an int8 mask marks; none if it has other entries than 0 and 1."""
    entries = np.frombuffer(mask, np.int8)
    return [] if ((entries != 0) & (entries != 1)).any() else list(np.flatnonzero(entries))
