"""Finds the shipped networks: files in `networks/` and `ntuples/`, named in the games' kits."""

from functools import cache

from starspiel.agents.evaluators.network_file import NetworkFile, read_network
from starspiel.agents.evaluators.ntuple_file import NTupleFile, read_ntuples
from starspiel.envs.base import Game
from starspiel.envs.kits import BY_NAME, KITS, GameKit
from starspiel.envs.modules import path_of

_NONE = GameKit("")
_read_network, _read_ntuples = cache(read_network), cache(read_ntuples)


def _kit_of(game: Game) -> GameKit:
    return BY_NAME.get(game.name.partition("(")[0], _NONE)


def shipped_games() -> list[str]:
    """Returns the short names of games with a shipped network."""
    return sorted(kit.name for kit in KITS if kit.networks)


def shipped_network(game: Game) -> NetworkFile | None:
    """Returns the shipped network of a game; None if there is none for its parameters."""
    networks = (_read_network(path_of(named)) for named in _kit_of(game).networks)
    return next((network for network in networks if network.is_for(game)), None)


def shipped_small_network(game: Game) -> NetworkFile | None:
    """Returns the shipped small network of a game, for move filters; None if there is none."""
    named = _kit_of(game).small_network
    network = _read_network(path_of(named)) if named else None
    return network if network is not None and network.is_for(game) else None


def shipped_ntuples(game: Game) -> NTupleFile | None:
    """Returns the shipped n-tuple network of a game; None if there is none for its parameters."""
    named = _kit_of(game).ntuples
    network = _read_ntuples(path_of(named)) if named else None
    return network if network is not None and network.game == game.name else None
