"""The n-tuple networks that come with the package: one file here a game, named in its kit."""

from functools import cache

from starspiel.agents.evaluators.ntuple_file import NTupleFile, read_ntuples
from starspiel.envs.base import Game
from starspiel.envs.kits import BY_NAME, KITS
from starspiel.envs.modules import path_of


def shipped_ntuple_games() -> list[str]:
    """The short names of the games that an n-tuple network comes for."""
    return sorted(kit.name for kit in KITS if kit.ntuples)


def shipped_ntuples(game: Game) -> NTupleFile | None:
    """The network that comes for a game; None if there is none, or only one for other parameters."""
    kit = BY_NAME.get(game.name.partition("(")[0])
    network = _read(kit.ntuples) if kit is not None and kit.ntuples else None
    return network if network is not None and network.game == game.name else None


@cache
def _read(file: str) -> NTupleFile:
    return read_ntuples(path_of(file))
