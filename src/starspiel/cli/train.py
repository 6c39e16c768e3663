"""`starspiel train`: a network for a game, by self-play."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from starspiel.agents.learning.result import NTupleResult, TrainingResult
from starspiel.agents.learning.training import train as train_network
from starspiel.cli.app import INTERRUPTED, OK
from starspiel.cli.output import show_json
from starspiel.envs.errors import StarspielError
from starspiel.envs.spec import parse_spec


def train(
    game: str,
    /,
    *,
    minutes: float | None = None,
    games: int | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    resume: Annotated[bool, Parameter(negative="")] = False,
    hidden: str | None = None,
    tuples: str | None = None,
    optimism: float | None = None,
    heuristic: Annotated[bool, Parameter(negative="")] = False,
    start: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
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
        starspiel train star_2048 --tuples small --output small.npz

    Parameters
    ----------
    game
        A game for two: OpenSpiel's, one that ships, or module:Rules with features(position); or star_2048.
    minutes
        How long to train, matches included; 15 unless told.
    games
        How many games to play instead; with one thread, a seed then repeats bit for bit.
    output
        The network's file; GAME.net.npz unless told, star_2048.ntuple.npz for star_2048.
    resume
        Go on from the checkpoint beside the output, for the rest of its time.
    hidden
        The units of each hidden layer, with commas; 128,32 unless told, or as --start has them.
    tuples
        For star_2048: large, with patterns of six cells, or small, whose file takes less than one MB; large
        unless told.
    optimism
        For star_2048: the points that every board is worth at first; 0 unless told.
    heuristic
        Begin with what the game's heuristic knows, and count a drawn game as half of what it says of the end:
        for games that are mostly drawn, whose results alone teach nothing.
    start
        Begin with the weights of this network's file, or, with "net", of the one that comes with starspiel.
        Its hidden layers grow to --hidden, where that is given.
    seed
        Of the first weights and of the games; 1 unless told.
    threads
        One a processor unless told; at most 16 for networks.
    as_json
        Print one JSON object and nothing else.
    """
    flags = {
        "minutes": minutes,
        "games": games,
        "hidden": None if hidden is None else _layers(hidden),
        "tuples": tuples,
        "optimism": optimism,
        "heuristic": heuristic or None,
        "start": start,
        "seed": seed,
        "threads": threads,
    }
    if minutes is not None and games is not None:
        raise StarspielError("give --minutes or --games, not both.")
    given = {name: value for name, value in flags.items() if value is not None}
    result = train_network(
        game,
        given,
        output=output,
        resume=resume,
        progress=(lambda moment: None) if as_json else _show,
    )
    if as_json:
        show_json(
            {name: str(value) if isinstance(value, Path) else value for name, value in asdict(result).items()}
        )
    else:
        print(result)
        print(f"wrote {result.file} and its learning curve {result.picture}")
        print(_how_to_play(result))
    return INTERRUPTED if result.interrupted else OK


def _how_to_play(result: TrainingResult | NTupleResult) -> str:
    evaluator = "ntuple" if isinstance(result, NTupleResult) else "net"
    spec = f"star2(depth=1,evaluator={evaluator}(file={result.file}))"
    try:
        read = parse_spec(spec).params["evaluator"].params["file"]
    except StarspielError:
        read = None
    if read != str(result.file):
        return "agents cannot be given a file of that name: rename it, with letters, digits, dots and dashes"
    return f"play it with {spec}"


def _layers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise StarspielError(f"--hidden must be whole numbers such as 128,32, got {text!r}.") from None


def _show(moment: object) -> None:
    print(moment, file=sys.stderr, flush=True)
