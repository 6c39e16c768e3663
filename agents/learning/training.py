"""Provides `train`: n-tuple networks for boards of 2048, multilayer perceptrons for games of two."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from starspiel.agents.evaluators.network_file import read_network
from starspiel.agents.evaluators.ntuple_file import read_ntuples
from starspiel.agents.learning.file_lock import locked
from starspiel.agents.learning.files import output_file, refuse_to_replace
from starspiel.agents.learning.interrupt import asked_to_stop
from starspiel.agents.learning.logs import logged
from starspiel.agents.learning.ntuple_checkpoint import read_checkpoint
from starspiel.agents.learning.ntuple_trainer import NTupleRun
from starspiel.agents.learning.result import NTupleResult, TrainingResult
from starspiel.agents.learning.run import Run
from starspiel.agents.learning.settings import NTupleSettings, Settings, TrainingSettings
from starspiel.agents.learning.trainer import NetworkRun
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.games.twenty_forty_eight import TwentyFortyEight
from starspiel.envs.load import load_game


def train(
    game: Any,
    settings: Settings | Mapping[str, Any] | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[Any], None] = lambda moment: None,
    log: str | None = None,
) -> TrainingResult | NTupleResult:
    """Trains a network and writes it to `output`. Ctrl-C ends it early.

    For star_2048, trains an n-tuple network for `ntuple(file=…)` (GAME.ntuple.npz); for other games, a
    network for `net(file=…)` (GAME.net.npz).

    Args:
        game: anything that `load_game` accepts.
        settings: the settings, or those that differ from the defaults. With `resume`, those that differ from
            the start; only minutes, games, threads and the workers of a cluster may differ.
        output: the file to write. Defaults to one in the working directory that is named after the game.
        resume: whether to continue from the checkpoint beside `output`, for the remaining time.
        progress: called with a `Moment` or `NTupleMoment` every few seconds, or after each round if it takes
            longer, and after each match.
        log: where else to log moments: "tensorboard" (in FILE.tensorboard), "wandb" or "mlflow".

    Raises StarspielError if networks for the game cannot be trained, a setting is invalid, `output` exists
    (unless `resume`) or is another kind of file, its checkpoint is of another training, the client of `log`
    is missing or cannot begin, or no game was finished in time.
    """
    loaded = load_game(game)
    if not isinstance(settings, Settings | Mapping | None):
        raise StarspielError(f"expected the settings, or their fields by name, got {shown(settings)}.")
    of_2048 = isinstance(loaded, TwentyFortyEight)
    wanted, other = (NTupleSettings, TrainingSettings) if of_2048 else (TrainingSettings, NTupleSettings)
    if isinstance(settings, other):
        raise StarspielError(f"{loaded.name} is trained by {wanted.__name__}, not by {other.__name__}.")
    make: Callable[..., Run] = NTupleRun if of_2048 else NetworkRun
    kind = ("ntuple", (read_ntuples, read_checkpoint)) if of_2048 else ("net", (read_network, read_network))
    file = output_file(loaded, output, *kind)
    with locked(file), asked_to_stop() as stop, logged(log, file, progress) as tell:
        if not resume:
            refuse_to_replace(file)
        return make(loaded, settings, file, resume, tell).run(stop)  # type: ignore[no-any-return]
