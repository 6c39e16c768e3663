"""A training of an n-tuple network on file, to go on from: the weights learnt so far, and how it stands."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.archive import opened_archive, save_archive
from starspiel.agents.evaluators.network_file import DAMAGE
from starspiel.envs.errors import StarspielError

_FORMAT = "n-tuple checkpoint 1"


@dataclass(frozen=True)
class Checkpoint:
    """A training that is not over.

    Attributes:
        game: the name of the game.
        settings: those it began with.
        state: how far it has come.
        places, weights, errors: of the weights touched so far: where they are in the tables, what they are,
            and the sums of their errors and of the magnitudes of these.
    """

    game: str
    settings: dict[str, Any]
    state: dict[str, Any]
    places: NDArray[np.uint32]
    weights: NDArray[np.float32]
    errors: NDArray[np.float32]

    def save(self, path: Path) -> None:
        """Writes the file whole or not at all. Raises StarspielError where it cannot be written."""
        about = {"format": _FORMAT, "game": self.game, "settings": self.settings, "state": self.state}
        arrays = {"places": self.places, "weights": self.weights, "errors": self.errors}
        save_archive(path, about, arrays, what="the checkpoint", compressed=False)


def read_checkpoint(path: Path, game: str | None = None) -> Checkpoint:
    """The checkpoint on file. Raises StarspielError where there is none, or it is of another game."""
    if not path.exists():
        raise StarspielError(f"there is no checkpoint {path} to resume from; start without --resume.")
    try:
        with opened_archive(path) as held:
            about = json.loads(str(held["about"]))
            if about["format"] != _FORMAT:
                raise ValueError(f"its format is {about['format']}")
            places, weights, errors = held["places"], held["weights"], held["errors"]
            _check(places, weights, errors)
            found = Checkpoint(
                str(about["game"]), dict(about["settings"]), dict(about["state"]), places, weights, errors
            )
    except OSError as error:
        raise StarspielError(f"cannot read the checkpoint {path}: {error.strerror or error}.") from None
    except DAMAGE as error:
        raise StarspielError(
            f"{path} is no checkpoint of an n-tuple network's training ({error}); name another --output."
        ) from None
    if game is not None and found.game != game:
        raise StarspielError(f"{path} is of {found.game}, not of {game}; name another --output.")
    return found


def _check(places: Any, weights: Any, errors: Any) -> None:
    kinds = (places.dtype, weights.dtype, errors.dtype)
    if kinds != (np.uint32, np.float32, np.float32) or places.ndim != 1:
        raise ValueError("its arrays are of other kinds")
    if weights.shape != places.shape or errors.shape != (len(places), 2):
        raise ValueError("its arrays are of different lengths")
    if not (np.isfinite(weights).all() and np.isfinite(errors).all()):
        raise ValueError("its weights are not finite")
