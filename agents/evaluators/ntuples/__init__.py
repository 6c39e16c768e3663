"""The n-tuple networks that come with the package: one file here a game, under its short name."""

from functools import cache
from pathlib import Path

from starspiel.agents.evaluators.ntuple_file import NTupleFile, read_ntuples
from starspiel.envs.base import Game


def shipped_ntuple_games() -> list[str]:
    """The short names of the games that an n-tuple network comes for."""
    return sorted(file.stem for file in Path(__file__).parent.glob("*.npz"))


def shipped_ntuples(game: Game) -> NTupleFile | None:
    """The network that comes for a game; None where there is none, or only one for other parameters."""
    network = _of(game.name.partition("(")[0])
    return network if network is not None and network.game == game.name else None


@cache
def _of(short: str) -> NTupleFile | None:
    file = Path(__file__).parent / f"{short}.npz"
    return read_ntuples(file) if short in shipped_ntuple_games() else None
