"""Provides the evaluator `auto`: the best available evaluator of a game."""

from collections.abc import Callable

from starspiel.agents.evaluators.base import Evaluator, outlook_of
from starspiel.agents.evaluators.bearoff import BearoffEvaluator, has_bearoff
from starspiel.agents.evaluators.heuristic import has_heuristic, has_own_heuristic, heuristic
from starspiel.agents.evaluators.network import network_from_file
from starspiel.agents.evaluators.network_file import NetworkFile
from starspiel.agents.evaluators.ntuple import ntuple_from_file
from starspiel.agents.evaluators.ntuple_file import NTupleFile
from starspiel.agents.evaluators.rollout import RolloutEvaluator
from starspiel.agents.evaluators.shipped import shipped_network, shipped_ntuples
from starspiel.agents.evaluators.solo import SoloEvaluator, plays_solo
from starspiel.agents.evaluators.wrapped import WrappedEvaluator, inner_game
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.envs.base import Game
from starspiel.envs.outlook import Outlook, outlook
from starspiel.envs.spec import Spec

#: For sampled games: the most moves of the one random game that values a state at the horizon.
_SAMPLED_DEPTH = 100

#: Shipped evaluators, best first, as (whether it supports a game, its factory) pairs.
_SHIPPED: tuple[tuple[Callable[[Game], object], Callable[[Game], Evaluator]], ...] = (
    (plays_solo, SoloEvaluator),
    (shipped_network, network_from_file),
    (shipped_ntuples, ntuple_from_file),
    (has_heuristic, heuristic),
)

#: Evaluators that use a shipped network, and the functions that find it.
_NETWORKS: dict[str, tuple[Callable[[Game], NetworkFile | NTupleFile | None], ...]] = {
    "auto": (shipped_network, shipped_ntuples),
    "bearoff": (shipped_network,),
    "net": (shipped_network,),
    "ntuple": (shipped_ntuples,),
}


def auto(game: Game, *, seed: int | None = None) -> Evaluator:
    """Returns the best available evaluator of the game: a heuristic registered for it, or else the first that
    supports it of `solo`, the shipped network or tables, and the game's heuristic.

    In backgammon, bear-off tables are added. Games wrapped in `start_at` or `zerosum` use the evaluators of
    the game inside. Unknown games get rollouts if they are sampled, otherwise zero.
    """
    own = has_own_heuristic(game)
    if own and has_heuristic(game):
        return heuristic(game)
    make = None if own else next((make for knows, make in _SHIPPED if knows(game)), None)
    if make is not None:
        return BearoffEvaluator(game, make(game)) if has_bearoff(game) else make(game)
    if (inner := inner_game(game)) is not None and knows(inner):
        return WrappedEvaluator(game, inner, auto(inner, seed=seed))
    return ZeroEvaluator(game) if game.explicit_chance else RolloutEvaluator(1, seed, depth=_SAMPLED_DEPTH)


def knows(game: Game) -> bool:
    """Returns whether `auto` has an evaluator for the game other than random games or zero."""
    if any(knows(game) for knows, _ in _SHIPPED):
        return True
    inner = inner_game(game)
    return inner is not None and knows(inner)


def usual_outlook(game: Game) -> Outlook:
    """Returns how to print, for people, the values that agents compute for a game by default."""
    told = outlook(game)
    return outlook_of(auto(game, seed=1), game) if told.is_score else told


def shipped_checksum(evaluator: Spec, game: Game) -> str | None:
    """Returns the checksum of the shipped network that an evaluator's spec uses; None if it uses the user's
    file, or if none is shipped.
    """
    game = (inner_game(game) if evaluator.name == "auto" else None) or game
    finders = () if "file" in evaluator.params else _NETWORKS.get(evaluator.name, ())
    return next((network.checksum for find in finders if (network := find(game)) is not None), None)
