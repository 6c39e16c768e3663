"""The evaluator `auto`: the best that is known of a game."""

from collections.abc import Callable

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.bearoff import BearoffEvaluator, has_bearoff
from starspiel.agents.evaluators.heuristic import has_heuristic, has_own_heuristic, heuristic
from starspiel.agents.evaluators.network import network_from_file
from starspiel.agents.evaluators.network_file import NetworkFile
from starspiel.agents.evaluators.networks import shipped_network
from starspiel.agents.evaluators.ntuple import ntuple_from_file
from starspiel.agents.evaluators.ntuple_file import NTupleFile
from starspiel.agents.evaluators.ntuples import shipped_ntuples
from starspiel.agents.evaluators.rollout import RolloutEvaluator
from starspiel.agents.evaluators.solo import SoloEvaluator, plays_solo
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.envs.base import Game
from starspiel.envs.spec import Spec

#: Of games known by samples only: one game, of so many moves at most, for each state at the horizon.
_SAMPLED_DEPTH = 100


def auto(game: Game, *, seed: int | None = None) -> Evaluator:
    """A heuristic that was registered; else `solo`, the network that comes for the game, or its heuristic.

    In backgammon the bear-off's tables before these. Without any of them, rollouts of a sampled game, and
    zero of others.
    """
    if not has_own_heuristic(game):
        shipped = _shipped(game)
        if shipped is not None:
            return BearoffEvaluator(game, shipped) if has_bearoff(game) else shipped
    if has_heuristic(game):
        return heuristic(game)
    return ZeroEvaluator(game) if game.explicit_chance else RolloutEvaluator(1, seed, depth=_SAMPLED_DEPTH)


def _shipped(game: Game) -> Evaluator | None:
    """The best of what ships for a game; None if nothing does."""
    if plays_solo(game):
        return SoloEvaluator(game)
    if shipped_network(game) is not None:
        return network_from_file(game)
    if shipped_ntuples(game) is not None:
        return ntuple_from_file(game)
    return heuristic(game) if has_heuristic(game) else None


def knows(game: Game) -> bool:
    """Whether `auto` values the game by what is known of it, and not by random games or as zero."""
    ships = plays_solo(game) or shipped_network(game) is not None or shipped_ntuples(game) is not None
    return ships or has_heuristic(game)


#: The evaluators that may take a network that ships, and what finds it.
_NETWORKS: dict[str, tuple[Callable[[Game], NetworkFile | NTupleFile | None], ...]] = {
    "auto": (shipped_network, shipped_ntuples),
    "bearoff": (shipped_network,),
    "net": (shipped_network,),
    "ntuple": (shipped_ntuples,),
}


def shipped_checksum(evaluator: Spec, game: Game) -> str | None:
    """The checksum of the network that ships and that the evaluator stands for.

    None if it names a file of the user's, or no network ships for the game.
    """
    if "file" in evaluator.params:
        return None
    found = [network for find in _NETWORKS.get(evaluator.name, ()) if (network := find(game)) is not None]
    return found[0].checksum if found else None
