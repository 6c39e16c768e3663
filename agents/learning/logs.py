"""Logs the moments of a training to TensorBoard, Weights & Biases or MLflow by their own clients.

TensorBoard's folder is FILE.tensorboard. The others read where to log from environment variables, such as
WANDB_MODE, WANDB_PROJECT, MLFLOW_TRACKING_URI and MLFLOW_EXPERIMENT_NAME.
"""

import importlib
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starspiel.agents.learning.result import Moment, NTupleMoment
from starspiel.envs.errors import StarspielError, StarspielWarning, first_line

#: Two functions: one logs numbers, by name, at a number of games; the other ends the log.
Log = tuple[Callable[[dict[str, float], int], Any], Callable[[], Any]]


@contextmanager
def logged(
    client: str | None, file: Path, progress: Callable[[Any], None]
) -> Iterator[Callable[[Any], None]]:
    """Yields a function that passes each moment to `progress` and, unless it is None, to the client.

    Raises StarspielError if there is no such client, if it is not installed, or if it cannot begin its log.
    Whatever it raises later ends the log, with a warning, but not the training.
    """
    if client is None:
        yield progress
        return
    if client not in _CLIENTS:
        raise StarspielError(f"log must be one of {', '.join(_CLIENTS)}, got {client!r}.")
    name, begin = _CLIENTS[client]
    try:
        package = importlib.import_module(name)
    except ImportError:
        raise StarspielError(f"the log of {client} needs its client: pip install {name}.") from None
    log: Log | None = None
    failed = False

    def guarded(call: Callable[..., Any], *given: Any) -> None:
        nonlocal failed
        try:
            call(*given)
        except Exception as error:  # such as a server that no longer answers
            failed = True
            warnings.warn(
                f"The log of {client} ended early ({_said(error)}); the training is not affected.",
                StarspielWarning,
                stacklevel=2,
            )

    def tell(moment: Moment | NTupleMoment) -> None:
        nonlocal log
        progress(moment)
        if log is None:  # the log begins only when the training has begun
            try:
                log = begin(package, file)
            except Exception as error:
                raise StarspielError(f"the log of {client} cannot begin: {_said(error)}") from error
        if not failed:
            guarded(log[0], numbers_of(moment), moment.games)

    try:
        yield tell
    finally:
        if log is not None and not failed:
            guarded(log[1])


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {first_line(error)}"


def numbers_of(moment: Moment | NTupleMoment) -> dict[str, float]:
    """Returns the numbers of a moment by name, with those of a match only if one was played."""
    names = ("seconds", "games_per_second", "error", "exact", "moves", "moves_per_second")
    numbers = {name: getattr(moment, name, None) for name in names}
    if isinstance(moment, NTupleMoment):
        numbers["points/match" if moment.played else "points/learning"] = moment.points.mean
    else:
        for score in moment.scores or ():
            numbers[f"score/depth_{score.depth}/{re.sub(r'[(].*', '', score.label)}"] = score.share
    return {name: float(number) for name, number in numbers.items() if number is not None}


def _tensorboard(package: Any, file: Path) -> Log:
    writer = package.SummaryWriter(f"{file}.tensorboard")

    def log(numbers: dict[str, float], games: int) -> None:
        for name, number in numbers.items():
            writer.add_scalar(name, number, games)
        writer.flush()

    return log, writer.close


def _wandb(package: Any, file: Path) -> Log:
    run = package.init(name=file.name)
    return lambda numbers, games: run.log(numbers | {"games": games}), run.finish


def _mlflow(package: Any, file: Path) -> Log:
    package.start_run(run_name=file.name)
    return lambda numbers, games: package.log_metrics(numbers, step=games), package.end_run


#: For each client, its package, which is imported on demand, and the function that begins a log.
_CLIENTS: dict[str, tuple[str, Callable[[Any, Path], Log]]] = {
    "tensorboard": ("tensorboardX", _tensorboard),
    "wandb": ("wandb", _wandb),
    "mlflow": ("mlflow", _mlflow),
}
