"""`starspiel train`: a network for a game, by self-play."""

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
    """Train a network by self-play and write it to a file that net(file=…) reads, or ntuple(file=…).

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
        game: A two-player game: OpenSpiel's, a shipped one, or module:Rules with features(position); or
            star_2048.
        minutes: How long to train, including matches; defaults to 15.
        games: How many games to play instead; with one thread, a seed then repeats bit for bit.
        output: The network's file; defaults to GAME.net.npz, or star_2048.ntuple.npz for star_2048.
        resume: Resume from the checkpoint beside the output, for the remaining time.
        hidden: Units of each hidden layer, separated by commas; defaults to 128,32, or to those of --start.
        tuples: For star_2048: large (the default), whose file holds all weights in tens of MB, or small,
            whose file holds those that matter most in less than three.
        heuristic: Start from the game's heuristic, and count a drawn game as half of its value of the final
            position: for games that are mostly drawn, whose results alone teach nothing.
        start: Start from the weights of this network's file or, with "net", of the shipped network. Its
            hidden layers are widened to --hidden, if that is given.
        seed: Seed of the first weights and of the games; defaults to 1.
        threads: Defaults to one per processor; at most 16 for networks. With --ray, threads learn and workers
            play.
        ray: Play on the workers of a Ray cluster, which needs pip install "starspiel[ray]". With --no-ray, a
            training that was begun so resumes without.
        workers: With --ray, how many workers play; defaults to one per processor of the cluster.
        address: With --ray, the address of a running cluster, e.g. auto. By default one is started on this
            machine.
        log: Also log the progress to tensorboard (the package tensorboardX, in OUTPUT.tensorboard), wandb or
            mlflow.
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
    return "agents cannot be given a file of that name: rename it, with letters, digits, dots and dashes"


def _layers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise StarspielError(f"--hidden must be whole numbers such as 128,32, got {text!r}.") from None
