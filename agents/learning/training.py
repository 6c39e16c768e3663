"""`train`: n-tuple networks for boards of 2048, multilayer perceptrons for games of two."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from starspiel.agents.evaluators.ntuple_file import read_ntuples
from starspiel.agents.learning import trainer
from starspiel.agents.learning.file_lock import locked
from starspiel.agents.learning.files import output_file, refuse_to_replace
from starspiel.agents.learning.interrupt import asked_to_stop
from starspiel.agents.learning.ntuple_checkpoint import read_checkpoint
from starspiel.agents.learning.ntuple_result import NTupleResult
from starspiel.agents.learning.ntuple_settings import NTupleSettings
from starspiel.agents.learning.ntuple_trainer import train_ntuples
from starspiel.agents.learning.result import TrainingResult
from starspiel.agents.learning.settings import TrainingSettings
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.games.twenty_forty_eight import TwentyFortyEight
from starspiel.envs.load import load_game


def train(
    game: Any,
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
        game: whatever `load_game` takes.
        settings: how to train, or the fields that are not as usual; with `resume`, not as it began, where
            only minutes, games and threads may differ.
        progress: called every few seconds and after each match with a `Moment` or an `NTupleMoment`.

    Raises StarspielError where the game has no trainer, or `output` is no network's file.
    """
    loaded = load_game(game)
    if not isinstance(settings, TrainingSettings | NTupleSettings | Mapping | None):
        raise StarspielError(f"expected the settings, or their fields by name, got {shown(settings)}.")
    if not isinstance(loaded, TwentyFortyEight):
        if isinstance(settings, NTupleSettings):
            raise StarspielError(f"{loaded.name} is trained by TrainingSettings, not by NTupleSettings.")
        return trainer.train(loaded, settings, output=output, resume=resume, progress=progress)
    if isinstance(settings, TrainingSettings):
        raise StarspielError(f"{loaded.name} is trained by NTupleSettings, not by TrainingSettings.")
    file = output_file(loaded, output, "ntuple", (read_ntuples, read_checkpoint))
    with locked(file), asked_to_stop() as stop:
        if not resume:
            refuse_to_replace(file)
        return train_ntuples(loaded, settings, file, resume, progress, stop)
