"""Stores a training of an n-tuple network in a file, to resume it: the weights so far, and its state."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.archive import opened_archive, save_archive
from starspiel.agents.learning.files import needed_checkpoint
from starspiel.envs.errors import StarspielError

_FORMAT = "n-tuple checkpoint 1"
_ARRAYS = {"places": np.uint32, "weights": np.float32, "errors": np.float32}


@dataclass(frozen=True)
class Checkpoint:
    """An unfinished training: its game, the settings it began with, and its progress.

    Attributes:
        places, weights, errors: data of the weights changed so far: their places in the tables, their values,
            and the sums of their errors and of the errors' magnitudes.
    """

    game: str
    settings: dict[str, Any]
    state: dict[str, Any]
    places: NDArray[np.uint32]
    weights: NDArray[np.float32]
    errors: NDArray[np.float32]

    def save(self, path: Path) -> None:
        """Writes the file atomically. Raises StarspielError if it cannot be written."""
        about = {"format": _FORMAT} | vars(self)
        arrays = {name: about.pop(name) for name in _ARRAYS}
        save_archive(path, about, arrays, what="the checkpoint", compressed=False)


def read_checkpoint(path: Path, game: str | None = None) -> Checkpoint:
    """Reads a checkpoint. Raises StarspielError if it is missing or damaged, or is for another game."""
    otherwise = "is no checkpoint of an n-tuple network's training ({error}); name another --output."
    with opened_archive(needed_checkpoint(path), "the checkpoint", otherwise) as (about, held):
        if about["format"] != _FORMAT:
            raise ValueError(f"its format is {about['format']}")
        arrays = {name: held[name] for name in _ARRAYS}
        places, weights, errors = arrays.values()
        if any(arrays[name].dtype != kind for name, kind in _ARRAYS.items()) or places.ndim != 1:
            raise ValueError("its arrays are of other kinds")
        if weights.shape != places.shape or errors.shape != (len(places), 2):
            raise ValueError("its arrays are of different lengths")
        if not (np.isfinite(weights).all() and np.isfinite(errors).all()):
            raise ValueError("its weights are not finite")
        found = Checkpoint(str(about["game"]), dict(about["settings"]), dict(about["state"]), **arrays)
    if game is not None and found.game != game:
        raise StarspielError(f"{path} is of {found.game}, not of {game}; name another --output.")
    return found
