"""The evaluators by name, and the one way from anything that may value a state to an Evaluator."""

from collections.abc import Callable
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, FunctionEvaluator
from starspiel.agents.evaluators.batch import BatchEvaluator
from starspiel.agents.evaluators.bearoff import BearoffEvaluator, has_bearoff
from starspiel.agents.evaluators.heuristics.backgammon import BackgammonHeuristic
from starspiel.agents.evaluators.heuristics.banqi import BanqiHeuristic
from starspiel.agents.evaluators.heuristics.cant_stop import CantStopHeuristic
from starspiel.agents.evaluators.heuristics.connect_four import ConnectFourHeuristic
from starspiel.agents.evaluators.heuristics.dice import DiceHeuristic
from starspiel.agents.evaluators.heuristics.einstein_wurfelt_nicht import EinsteinHeuristic
from starspiel.agents.evaluators.heuristics.knucklebones import KnucklebonesHeuristic
from starspiel.agents.evaluators.heuristics.maedn import MaednHeuristic
from starspiel.agents.evaluators.heuristics.pig import PigHeuristic
from starspiel.agents.evaluators.heuristics.royal_game_of_ur import RoyalGameOfUrHeuristic
from starspiel.agents.evaluators.heuristics.star_2048 import Star2048Heuristic
from starspiel.agents.evaluators.heuristics.star_pig import StarPigHeuristic
from starspiel.agents.evaluators.heuristics.twenty_forty_eight import TwentyFortyEightHeuristic
from starspiel.agents.evaluators.heuristics.yacht import YachtHeuristic
from starspiel.agents.evaluators.linear import linear_from_file
from starspiel.agents.evaluators.network import NetworkEvaluator, network_from_file
from starspiel.agents.evaluators.network_file import NetworkFile
from starspiel.agents.evaluators.networks import shipped_network
from starspiel.agents.evaluators.ntuple import ntuple_from_file
from starspiel.agents.evaluators.ntuple_file import NTupleFile
from starspiel.agents.evaluators.ntuples import shipped_ntuples
from starspiel.agents.evaluators.onnx import onnx_from_file
from starspiel.agents.evaluators.openspiel import OpenSpielEvaluator, is_mcts_evaluator
from starspiel.agents.evaluators.rollout import RolloutEvaluator
from starspiel.agents.evaluators.solo import SoloEvaluator, plays_solo
from starspiel.agents.evaluators.solution import SolutionEvaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.factories import game_for_factory
from starspiel.agents.learning.encoders import Encoder, encoder_of
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import Game
from starspiel.envs.errors import EvaluatorError, SpecError, StarspielError, did_you_mean, shown
from starspiel.envs.load import load_game
from starspiel.envs.modules import find_in_module
from starspiel.envs.spec import Spec, as_spec, call_with_params

#: Heuristics by the short name of their game; each is built from the Game.
_HEURISTICS: dict[str, Callable[[Any], Evaluator]] = {
    "2048": TwentyFortyEightHeuristic,
    "backgammon": BackgammonHeuristic,
    "banqi": BanqiHeuristic,
    "cant_stop": CantStopHeuristic,
    "connect_four": ConnectFourHeuristic,
    "dice": DiceHeuristic,
    "einstein_wurfelt_nicht": EinsteinHeuristic,
    "knucklebones": KnucklebonesHeuristic,
    "maedn": MaednHeuristic,
    "pig": PigHeuristic,
    "royal_game_of_ur": RoyalGameOfUrHeuristic,
    "star_2048": Star2048Heuristic,
    "star_pig": StarPigHeuristic,
    "yacht": YachtHeuristic,
}


#: Those of the user's: they are given what `agents/factories.py` says, and come first.
_OWN_HEURISTICS: dict[str, Callable[[Any], Any]] = {}


def register_heuristic(game: str, factory: Callable[[Any], Any]) -> None:
    """Makes `factory(game)` the evaluator `heuristic` of all games with this short name.

    `factory` is given a `pyspiel.Game` for OpenSpiel games, otherwise a Game, and returns an Evaluator or a
    function of a state. It may have a function `plays(game)`, which says of which forms of the game.

    Raises SpecError where the name is no text or the factory cannot be called.
    """
    if not isinstance(game, str) or not game:
        raise SpecError(f"expected the short name of a game such as pig, got {shown(game)}.")
    if not callable(factory):
        raise SpecError(
            f"expected a function or class that makes the heuristic of {shown(game)}, got {shown(factory)}."
        )
    _OWN_HEURISTICS[game] = factory


def heuristic_games() -> list[str]:
    """The short names of the games that have a heuristic of ours or a registered one."""
    return sorted({*_HEURISTICS, *_OWN_HEURISTICS})


def has_heuristic(game: Game) -> bool:
    """Whether `heuristic` plays the game."""
    found = _heuristic_of(game)
    if found is None:
        return False
    factory, handed = found
    plays: Callable[[Any], bool] | None = getattr(factory, "plays", None)
    return plays is None or plays(handed)


def ships_heuristic(game: Game) -> bool:
    """Whether a heuristic comes with starspiel for the game, and none was registered in its place."""
    found = _heuristic_of(game)
    return found is not None and found[0] in _HEURISTICS.values() and has_heuristic(game)


def _heuristic_of(game: Game) -> tuple[Callable[[Any], Any], Any] | None:
    """What makes the game's heuristic, and of what."""
    names = _short_names(game)
    for factories, handed in ((_OWN_HEURISTICS, game_for_factory(game)), (_HEURISTICS, game)):
        for short in names:
            if short in factories:
                return factories[short], handed
    return None


def _short_names(game: Game) -> list[str]:
    """The game's own, and the one it gave itself where a module makes it."""
    return [name.partition("(")[0] for name in (game.name, getattr(game, "declared_name", game.name))]


def _heuristic(game: Game) -> Evaluator:
    found = _heuristic_of(game)
    if found is None or not has_heuristic(game):
        raise SpecError(
            f"there is no heuristic for {game.name}; there is one for "
            f"{', '.join(heuristic_games())}. Use rollout or zero, or "
            "register_heuristic."
        )
    factory, handed = found
    return _checked(factory(handed), f"heuristic({game.name.partition('(')[0]})", game)


#: `auto` of games known by samples only: one game, of so many moves at most, for each state at the horizon.
_SAMPLED_DEPTH = 100


def _auto(game: Game, *, seed: int | None = None) -> Evaluator:
    """A heuristic that was registered; else `solo`, the network that comes for the game, or its heuristic.

    In backgammon the bear-off's tables before these. Without any of them, rollouts of a sampled game, and
    zero of others.
    """
    own = _heuristic_of(game)
    if own is None or own[0] not in _OWN_HEURISTICS.values():
        coming = _coming(game)
        if coming is not None:
            return BearoffEvaluator(game, coming) if has_bearoff(game) else coming
    if has_heuristic(game):
        return _heuristic(game)
    return ZeroEvaluator(game) if game.explicit_chance else RolloutEvaluator(1, seed, depth=_SAMPLED_DEPTH)


def _coming(game: Game) -> Evaluator | None:
    """The best of what comes with the package for a game; None where nothing does."""
    if plays_solo(game):
        return SoloEvaluator(game)
    if shipped_network(game) is not None:
        return network_from_file(game)
    if shipped_ntuples(game) is not None:
        return ntuple_from_file(game)
    return _heuristic(game) if has_heuristic(game) else None


def knows(game: Game) -> bool:
    """Whether `auto` values the game by what is known of it, and not by random games or as zero."""
    comes = plays_solo(game) or shipped_network(game) is not None or shipped_ntuples(game) is not None
    return comes or has_heuristic(game)


#: The evaluators that may take a network which comes with the package, and where it is looked for.
_NETWORKS: dict[str, tuple[Callable[[Game], NetworkFile | NTupleFile | None], ...]] = {
    "auto": (shipped_network, shipped_ntuples),
    "bearoff": (shipped_network,),
    "net": (shipped_network,),
    "ntuple": (shipped_ntuples,),
}


def coming_checksum(evaluator: Spec, game: Game) -> str | None:
    """The checksum of the network that comes with the package and that the evaluator stands for.

    None where it names a file of the user's, or no network comes for the game.
    """
    if "file" in evaluator.params:
        return None
    found = [network for find in _NETWORKS.get(evaluator.name, ()) if (network := find(game)) is not None]
    return found[0].checksum if found else None


def _rollout(game: Game, n: int = 1, *, depth: int | None = None, seed: int | None = None) -> Evaluator:
    return RolloutEvaluator(n, seed, depth=depth)


def _bearoff(game: Game, evaluator: str | Spec = "auto", *, seed: int | None = None) -> Evaluator:
    before = as_evaluator(evaluator, game, seed)
    return before if isinstance(before, BearoffEvaluator) else BearoffEvaluator(game, before)


_FACTORIES: dict[str, Callable[..., Any]] = {
    "auto": _auto,
    "bearoff": _bearoff,
    "heuristic": _heuristic,
    "linear": linear_from_file,
    "net": network_from_file,
    "ntuple": ntuple_from_file,
    "onnx": onnx_from_file,
    "rollout": _rollout,
    "solo": SoloEvaluator,
    "solution": SolutionEvaluator,
    "zero": ZeroEvaluator,
}


#: Those of `_FACTORIES` that were registered.
_OWN: set[str] = set()


def register_evaluator(name: str, factory: Callable[..., Any]) -> None:
    """Makes `factory(game, **params)` available as the spec `name(...)`; a `seed` keyword gets the seed.

    `factory` is given a `pyspiel.Game` for OpenSpiel games, otherwise a Game, and returns an Evaluator, a
    function of a state or an `mcts.Evaluator` of OpenSpiel's.

    Raises SpecError where the name is taken or no identifier.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise SpecError(f"expected a name such as my_evaluator, got {shown(name)}.")
    if not callable(factory):
        raise SpecError(
            f"expected a function or class that makes the evaluator {name}, got {shown(factory)}."
        )
    if name in _FACTORIES:
        raise SpecError(f"there is an evaluator {shown(name)} already; register under another name.")
    _FACTORIES[name] = factory
    _OWN.add(name)


def evaluator_names() -> list[str]:
    """The names that `make_evaluator` knows."""
    return sorted(_FACTORIES)


def make_evaluator(spec: str | Spec, game: Any, seed: int | None = None) -> Evaluator:
    """The evaluator of a spec: `zero`, `rollout(n=20)`, `heuristic`, `auto`, `linear(file=weights.npy)`,
    `net`, `net(file=pig.npz)`, `ntuple(file=2048.npz)`, `onnx(file=pig.onnx)`, `solo`,
    `solution(file=pig.npz)`, a registered one, or
    `package.module:factory(param=…)` for a factory as in `register_evaluator`. `game` is whatever
    `load_game` takes.

    Raises SpecError where the name or a parameter does not exist, or the game has no such evaluator.
    """
    parsed, game, seed = as_spec(spec), load_game(game), seed_number(seed)
    if ":" in parsed.name:
        return _foreign(parsed, find_in_module(parsed.name, "evaluator"), game, seed)
    if parsed.name not in _FACTORIES:
        raise SpecError(f"unknown evaluator {shown(parsed.name)}.{did_you_mean(parsed.name, _FACTORIES)}")
    factory = _FACTORIES[parsed.name]
    if parsed.name in _OWN:
        return _foreign(parsed, factory, game, seed)
    made: Evaluator = call_with_params(factory, parsed, game, seed=seed, reserved=("seed",))
    return made


def _foreign(spec: Spec, factory: Any, game: Game, seed: int | None) -> Evaluator:
    """The evaluator that somebody's own factory makes."""
    expected = "expected a function or class that takes the game and returns a function of a state"
    if not callable(factory):
        raise SpecError(f"evaluator {spec}: {expected}, got {shown(factory)}.")
    try:
        made = call_with_params(factory, spec, game_for_factory(game), seed=seed, reserved=("seed",))
    except StarspielError:
        raise
    except (Exception, SystemExit) as error:
        raise SpecError(f"evaluator {spec} raised {type(error).__name__}: {error}; {expected}.") from error
    return _checked(made, str(spec), game)


def _checked(made: Any, name: str, game: Game) -> Evaluator:
    """What a factory returned as an Evaluator; a plain function, or one of OpenSpiel's, goes by `name`."""
    if is_mcts_evaluator(made):
        return OpenSpielEvaluator(game, made, name=name)
    if isinstance(made, Evaluator):
        return made
    if callable(made):
        return FunctionEvaluator(made, name=name)
    raise SpecError(
        f"evaluator {name}: expected a function or class that takes the game and returns a function of a "
        f"state; it returned {shown(made)}."
    )


def as_evaluator(
    evaluator: Evaluator | Callable[[Any], float] | str | Spec | None, game: Any, seed: int | None = None
) -> Evaluator:
    """An Evaluator as it is, a spec made, a function or an `mcts.Evaluator` wrapped, None as zero.

    Raises SpecError for what is none of these, and EvaluatorError for a heuristic of ours, a network or
    an encoder that was made for another game: its values would be those of something else.
    """
    if evaluator is None:
        return ZeroEvaluator(load_game(game))
    if is_mcts_evaluator(evaluator):
        return OpenSpielEvaluator(load_game(game), evaluator)
    if isinstance(evaluator, str | Spec):
        return make_evaluator(evaluator, game, seed)
    if isinstance(evaluator, Evaluator) and not isinstance(evaluator, type):
        _check_game(evaluator, load_game(game))
        return evaluator
    if callable(evaluator):
        return FunctionEvaluator(evaluator)
    raise SpecError(f"expected an evaluator, its spec or a function of a state, got {shown(evaluator)}.")


def _check_game(evaluator: Evaluator, game: Game) -> None:
    """Raises EvaluatorError where a heuristic of ours, a network or an encoder knows another game."""
    if isinstance(evaluator, NetworkEvaluator | BatchEvaluator):
        seen = evaluator.network.game if isinstance(evaluator, NetworkEvaluator) else evaluator.game
        known = [] if seen is None else [seen.partition("(")[0]]
        fits = not known or known[0] in _short_names(game) or _encodes(evaluator.encoder, game)
    else:
        known = [short for short, factory in _HEURISTICS.items() if factory is type(evaluator)]
        fits = not known or not set(known).isdisjoint(_short_names(game))
    if not fits:
        raise EvaluatorError(
            f"{evaluator.name} values {known[0]}, not {game.name}; make an evaluator for this game, "
            "or name it by its spec, such as auto."
        )


def _encodes(encoder: Encoder, game: Game) -> bool:
    """Whether the game has such an encoder: the same game may go by another name."""
    own = encoder_of(game)
    return own is not None and (own.name, own.version, len(own.units)) == (
        encoder.name,
        encoder.version,
        len(encoder.units),
    )
