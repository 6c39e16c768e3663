"""Manages the files of a training (network, checkpoint and curve), and refuses to overwrite others."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from starspiel.agents.archive import writable
from starspiel.agents.encoders import Encoder
from starspiel.agents.evaluators.network_file import NetworkFile, read_network
from starspiel.agents.learning.settings import TrainingSettings
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.named import goes_by


def output_file(
    game: Game,
    output: str | os.PathLike[str] | None,
    kind: str,
    readers: tuple[Callable[[Path], object], Callable[[Path], object]],
) -> Path:
    """Returns the path of the network; `kind` is part of the default name, and `readers` read a network and a
    checkpoint.

    Raises StarspielError if a file of another kind is there, or if nothing can be written.
    """
    # A name without special characters: pig(winscore=20) becomes pig_winscore_20.
    plain = re.sub(r"\W+", "_", game.name).strip("_")
    path = writable(Path(output if output is not None else f"{plain}.{kind}.npz").expanduser(), "network")
    for each, read in zip((path, checkpoint_of(path)), readers, strict=True):
        if each.exists():
            try:
                read(each)
            except StarspielError as error:
                raise StarspielError(f"{each} already exists; name another --output ({error})") from None
    return path


def refuse_to_replace(file: Path) -> None:
    """Raises StarspielError if a new training would overwrite a network or a checkpoint."""
    for each in (file, checkpoint_of(file)):
        if each.exists():
            raise StarspielError(
                f"{each} already exists: continue it with --resume (resume=True), or name another output."
            )


def checkpoint_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.checkpoint")


def curve_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.curve.json")


def needed_checkpoint(path: Path) -> Path:
    """Returns the path. Raises StarspielError if there is no checkpoint at it."""
    if not path.exists():
        raise StarspielError(f"there is no checkpoint {path} to resume from; start without --resume.")
    return path


def held_checkpoint(file: Path, game: Game, encoder: Encoder) -> tuple[NetworkFile, TrainingSettings]:
    """Returns the checkpoint of a network's file, and the settings with which its training began.

    Raises StarspielError if there is none, or if it is not one of a training of this game.
    """
    held = held_network(needed_checkpoint(checkpoint_of(file)), game, encoder)
    try:
        settings = dict(held.made["settings"])
        return held, TrainingSettings(**settings | {"hidden": tuple(settings["hidden"])})
    except (KeyError, TypeError, ValueError) as error:
        raise no_checkpoint(file, error) from None


def held_network(path: Path, game: Game, encoder: Encoder) -> NetworkFile:
    """Reads a network to train further. Raises StarspielError if it is for another game or encoder."""
    held = read_network(path)
    if not goes_by(game, held.game):
        raise StarspielError(f"{path} is of {held.game}, not of {game.name}; name another --output.")
    if held.encoder != (encoder.name, encoder.version) or held.sizes[0] != len(encoder.units):
        raise StarspielError(
            f"{path} was trained on {held.inputs}; {game.name} now has {encoder.name} version "
            f"{encoder.version} with {len(encoder.units)}. Start again with another --output."
        )
    return held


def no_checkpoint(file: Path, error: Exception) -> StarspielError:
    """Returns the error for a checkpoint that is a network's file, but lacks the data of a training."""
    return StarspielError(
        f"{checkpoint_of(file)} is no checkpoint of a training ({type(error).__name__}: {error}); start "
        "again with another --output."
    )
