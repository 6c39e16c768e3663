"""The networks that come with the package: one file here a game, named in its kit."""

from functools import cache

from starspiel.agents.evaluators.network_file import NetworkFile, read_network
from starspiel.envs.base import Game
from starspiel.envs.kits import BY_NAME, KITS
from starspiel.envs.modules import path_of
from starspiel.envs.named import goes_by


def shipped_games() -> list[str]:
    """The short names of the games that a network comes for."""
    return sorted(kit.name for kit in KITS if kit.network)


def shipped_network(game: Game) -> NetworkFile | None:
    """The network that comes for a game; None if there is none, or only one for other parameters."""
    kit = BY_NAME.get(game.name.partition("(")[0])
    network = _read(kit.network) if kit is not None and kit.network else None
    return network if network is not None and goes_by(game, network.game) else None


@cache
def _read(file: str) -> NetworkFile:
    return read_network(path_of(file))
