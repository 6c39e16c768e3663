"""The networks that come with the package: one file here a game, under its short name."""

from functools import cache
from pathlib import Path

from starspiel.agents.evaluators.network_file import NetworkFile, read_network
from starspiel.envs.base import Game
from starspiel.envs.named import goes_by


def shipped_games() -> list[str]:
    """The short names of the games that a network comes for."""
    return sorted(file.stem for file in Path(__file__).parent.glob("*.npz"))


def shipped_network(game: Game) -> NetworkFile | None:
    """The network that comes for a game; None where there is none, or only one for other parameters."""
    network = _of(game.name.partition("(")[0])
    return network if network is not None and goes_by(game, network.game) else None


@cache
def _of(short: str) -> NetworkFile | None:
    file = Path(__file__).parent / f"{short}.npz"
    return read_network(file) if short in shipped_games() else None
