"""`starspiel train`: trains a network for a game by self-play."""

import sys
from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import Parameter

from starspiel.agents.learning.result import NTupleResult
from starspiel.agents.learning.training import train as train_network
from starspiel.cli.app import INTERRUPTED, OK
from starspiel.cli.flags import Json, Output
from starspiel.cli.names import GameName
from starspiel.cli.output import show_json
from starspiel.envs.errors import StarspielError
from starspiel.envs.spec import parse_spec


def train(
    game: GameName,
    /,
    *,
    minutes: float | None = None,
    games: int | None = None,
    output: Output = None,
    resume: bool = False,
    hidden: str | None = None,
    tuples: str | None = None,
    heuristic: bool = False,
    start: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    ray: Annotated[bool | None, Parameter(negative="--no-ray")] = None,
    workers: int | None = None,
    address: str | None = None,
    log: str | None = None,
    as_json: Json = False,
) -> int:
    """Train a network by self-play and write it to a file, for the evaluators net(file=…) or ntuple(file=…).

    Ctrl-C ends early and keeps the best network so far.

    For example:

        starspiel train backgammon
        starspiel train backgammon --minutes 60 --output mine.npz
        starspiel train backgammon --minutes 60 --output mine.npz --resume
        starspiel train einstein_wurfelt_nicht --games 5000 --threads 1
        starspiel train banqi --heuristic
        starspiel train backgammon --start net --hidden 256,96,32 --minutes 100
        starspiel train backgammon --ray --workers 8
        starspiel train star_2048 --tuples small --output small.npz

    Args:
        game: A two-player game of OpenSpiel, a shipped two-player game, module:Rules with
            features(position), or star_2048.
        minutes: How long to train, including evaluation matches. Defaults to 15.
        games: How many games to train for, instead of --minutes. With one thread, the same seed then gives
            the same network bit for bit.
        output: The file to write the network to. Defaults to GAME.net.npz, and to star_2048.ntuple.npz for
            star_2048.
        resume: Resume from the checkpoint beside the output, for the remaining time.
        hidden: Units of each hidden layer, separated by commas. Defaults to 128,32, or to those of --start.
        tuples: For star_2048: large (the default), whose file holds all weights in tens of MB, or small,
            whose file holds the most important weights in less than 3 MB.
        heuristic: Start from the game's heuristic, and count a drawn game as half of the heuristic's value of
            its final position. For games that are mostly drawn, whose results alone teach nothing.
        start: Start from the weights of this network's file or, with "net", of the shipped network. If
            --hidden is given, its hidden layers are widened to that.
        seed: Seed of the initial weights and of the games. Defaults to 1.
        threads: Number of threads. Defaults to one per processor; at most 16 for networks. With --ray,
            threads learn and workers play.
        ray: Play on the workers of a Ray cluster; needs pip install "starspiel[ray]". With --resume, --no-ray
            continues without Ray a training that was started with it.
        workers: With --ray, how many workers play. Defaults to one per processor of the cluster.
        address: With --ray, the address of a running cluster, e.g. auto. By default, a cluster is started on
            this machine.
        log: Also log the progress to tensorboard (with the package tensorboardX, in OUTPUT.tensorboard),
            wandb or mlflow.
    """
    if minutes is not None and games is not None:
        raise StarspielError("give --minutes or --games, not both.")
    flags = {
        "minutes": minutes,
        "games": games,
        "hidden": None if hidden is None else _layers(hidden),
        "tuples": tuples,
        "heuristic": heuristic or None,
        "start": start,
        "seed": seed,
        "threads": threads,
        "ray": ray,
        "workers": workers,
        "address": address,
    }

    def tell(moment: Any) -> None:
        if not as_json:
            print(moment, file=sys.stderr, flush=True)

    given = {name: value for name, value in flags.items() if value is not None}
    result = train_network(game, given, output=output, resume=resume, progress=tell, log=log)
    if as_json:
        show_json(asdict(result))
    else:
        print(result)
        print(f"wrote {result.file} and its learning curve {result.picture}")
        print(_how_to_play("ntuple" if isinstance(result, NTupleResult) else "net", str(result.file)))
    return INTERRUPTED if result.interrupted else OK


def _how_to_play(evaluator: str, file: str) -> str:
    spec = f"star2(depth=1,evaluator={evaluator}(file={file}))"
    try:
        if parse_spec(spec).params["evaluator"].params["file"] == file:
            return f"play it with {spec}"
    except StarspielError:
        pass
    return "a spec cannot contain that file name: rename it, using only letters, digits, dots and dashes"


def _layers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise StarspielError(f"--hidden must be whole numbers such as 128,32, got {text!r}.") from None
