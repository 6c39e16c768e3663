"""`train`: n-tuple networks for boards of 2048, multilayer perceptrons for games of two."""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starspiel.agents.learning import trainer
from starspiel.agents.learning.interrupt import asked_to_stop
from starspiel.agents.learning.ntuple_trainer import (
    NTupleMoment,
    NTupleResult,
    NTupleSettings,
    check_output,
    train_ntuples,
)
from starspiel.agents.learning.trainer import Moment, TrainingResult, TrainingSettings
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.games.twenty_forty_eight import TwentyFortyEight
from starspiel.envs.load import load_game


def train(
    game: str | Game,
    settings: TrainingSettings | NTupleSettings | Mapping[str, Any] | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[Any], None] = lambda moment: None,
) -> TrainingResult | NTupleResult:
    """Trains a network and writes it to `output`. Ctrl-C ends it early.

    For star_2048 that is an n-tuple network, for `ntuple(file=…)` (GAME.ntuple.npz); for other games one for
    `net(file=…)` (GAME.net.npz).

    Args:
        settings: how to train, or the fields that are not as usual; with `resume`, not as it began, where
            only minutes, games and threads may differ.
        progress: called every few seconds and after each match with a `Moment` or an `NTupleMoment`.

    Raises StarspielError where the game has no trainer, or `output` is no network's file.
    """
    loaded = load_game(game)
    if not isinstance(loaded, TwentyFortyEight):
        if isinstance(settings, NTupleSettings):
            raise StarspielError(f"{loaded.name} is trained by TrainingSettings, not by NTupleSettings.")
        return trainer.train(loaded, settings, output=output, resume=resume, progress=progress)
    if isinstance(settings, TrainingSettings):
        raise StarspielError(f"{loaded.name} is trained by NTupleSettings, not by TrainingSettings.")
    file = _output(loaded, output)
    check_output(file, resume)
    with asked_to_stop() as stop:
        return train_ntuples(loaded, settings, file, resume, progress, stop)


def _output(game: Game, output: str | os.PathLike[str] | None) -> Path:
    """Where an n-tuple network goes. Raises StarspielError where nothing can be written."""
    plain = re.sub(r"\W+", "_", game.name).strip("_")
    path = Path(output if output is not None else f"{plain}.ntuple.npz")
    if not path.name or path.is_dir():
        raise StarspielError(f"cannot write the network to {str(path)!r}: that is a folder.")
    if not path.parent.is_dir():
        raise StarspielError(f"cannot write {path}: there is no folder {path.parent}.")
    if not os.access(path.parent, os.W_OK):
        raise StarspielError(f"cannot write {path}: the folder {path.parent} is not writable.")
    return path


__all__ = [
    "Moment",
    "NTupleMoment",
    "NTupleResult",
    "NTupleSettings",
    "TrainingResult",
    "TrainingSettings",
    "train",
]
