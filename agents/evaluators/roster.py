"""The evaluators by name, and the one way from anything that may value a state to an Evaluator."""

from collections.abc import Callable
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, FunctionEvaluator
from starspiel.agents.evaluators.heuristics.backgammon import BackgammonHeuristic
from starspiel.agents.evaluators.heuristics.banqi import BanqiHeuristic
from starspiel.agents.evaluators.heuristics.cant_stop import CantStopHeuristic
from starspiel.agents.evaluators.heuristics.dice import DiceHeuristic
from starspiel.agents.evaluators.heuristics.einstein_wurfelt_nicht import EinsteinHeuristic
from starspiel.agents.evaluators.heuristics.knucklebones import KnucklebonesHeuristic
from starspiel.agents.evaluators.heuristics.maedn import MaednHeuristic
from starspiel.agents.evaluators.heuristics.pig import PigHeuristic
from starspiel.agents.evaluators.heuristics.royal_game_of_ur import RoyalGameOfUrHeuristic
from starspiel.agents.evaluators.heuristics.star_pig import StarPigHeuristic
from starspiel.agents.evaluators.heuristics.twenty_forty_eight import TwentyFortyEightHeuristic
from starspiel.agents.evaluators.heuristics.yacht import YachtHeuristic
from starspiel.agents.evaluators.linear import linear_from_file
from starspiel.agents.evaluators.rollout import RolloutEvaluator
from starspiel.agents.evaluators.solution import SolutionEvaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, StarspielError, did_you_mean
from starspiel.envs.modules import find_in_module
from starspiel.envs.spec import Spec, call_with_params, parse_spec

#: Heuristics by the short name of their game; each is built from the Game.
_HEURISTICS: dict[str, Callable[[Any], Evaluator]] = {
    "2048": TwentyFortyEightHeuristic,
    "backgammon": BackgammonHeuristic,
    "banqi": BanqiHeuristic,
    "cant_stop": CantStopHeuristic,
    "dice": DiceHeuristic,
    "einstein_wurfelt_nicht": EinsteinHeuristic,
    "knucklebones": KnucklebonesHeuristic,
    "maedn": MaednHeuristic,
    "pig": PigHeuristic,
    "royal_game_of_ur": RoyalGameOfUrHeuristic,
    "star_pig": StarPigHeuristic,
    "yacht": YachtHeuristic,
}


def register_heuristic(game: str, factory: Callable[[Any], Evaluator]) -> None:
    """Makes `factory(game)` the evaluator `heuristic` of all games with this short name."""
    if not callable(factory):
        raise SpecError(f"expected a function or class that makes the heuristic of {game}, got {factory!r}.")
    _HEURISTICS[game] = factory


def has_heuristic(game: Game) -> bool:
    """Whether `heuristic` plays the game."""
    factory = _heuristic_of(game)
    if factory is None:
        return False
    plays: Callable[[Any], bool] | None = getattr(factory, "plays", None)
    return plays is None or plays(game)


def _heuristic_of(game: Game) -> Callable[[Any], Evaluator] | None:
    """What makes the game's heuristic: by its name, or by the one it gave itself where a module makes it."""
    names = (game.name, getattr(game, "declared_name", game.name))
    return next(
        (_HEURISTICS[short] for name in names if (short := name.partition("(")[0]) in _HEURISTICS), None
    )


def _heuristic(game: Game) -> Evaluator:
    factory = _heuristic_of(game)
    if factory is None or not has_heuristic(game):
        raise SpecError(
            f"there is no heuristic for {game.name}; there is one for {', '.join(sorted(_HEURISTICS))}. "
            "Use rollout or zero, or register_heuristic."
        )
    return factory(game)


def _auto(game: Game) -> Evaluator:
    """The game's heuristic where there is one, otherwise zero."""
    return _heuristic(game) if has_heuristic(game) else ZeroEvaluator(game)


def _rollout(game: Game, n: int = 1, *, seed: int | None = None) -> Evaluator:
    return RolloutEvaluator(n, seed)


_FACTORIES: dict[str, Callable[..., Evaluator]] = {
    "auto": _auto,
    "heuristic": _heuristic,
    "linear": linear_from_file,
    "rollout": _rollout,
    "solution": SolutionEvaluator,
    "zero": ZeroEvaluator,
}


def register_evaluator(name: str, factory: Callable[..., Evaluator]) -> None:
    """Makes `factory(game, **params)` available as the spec `name(...)`; a `seed` keyword gets the seed."""
    if not name.isidentifier():
        raise SpecError(f"expected a name such as my_evaluator, got {name!r}.")
    if not callable(factory):
        raise SpecError(f"expected a function or class that makes the evaluator {name}, got {factory!r}.")
    if name in _FACTORIES:
        raise SpecError(f"there is an evaluator {name!r} already; register under another name.")
    _FACTORIES[name] = factory


def evaluator_names() -> list[str]:
    """The names that `make_evaluator` knows."""
    return sorted(_FACTORIES)


def make_evaluator(spec: str | Spec, game: Game, seed: int | None = None) -> Evaluator:
    """The evaluator of a spec: `zero`, `rollout(n=20)`, `heuristic`, `auto`, `linear(file=weights.npy)`,
    `solution(file=pig.npz)`, a registered one, or `package.module:factory(param=…)` for a factory as in
    `register_evaluator`, which may also return a plain function of a state.

    Raises SpecError where the name or a parameter does not exist, or the game has no such evaluator.
    """
    parsed = parse_spec(spec) if isinstance(spec, str) else spec
    if ":" in parsed.name:
        return _foreign(parsed, game, seed)
    if parsed.name not in _FACTORIES:
        raise SpecError(f"unknown evaluator {parsed.name!r}.{did_you_mean(parsed.name, _FACTORIES)}")
    made = call_with_params(_FACTORIES[parsed.name], parsed, game, seed=seed, reserved=("seed",))
    if not isinstance(made, Evaluator):
        raise SpecError(f"evaluator {parsed}: expected an object with name, range and a call, got {made!r}.")
    return made


def _foreign(spec: Spec, game: Game, seed: int | None) -> Evaluator:
    factory = find_in_module(spec.name, "evaluator")
    expected = "expected a function or class that takes the game and returns a function of a state"
    if not callable(factory):
        raise SpecError(f"evaluator {spec}: {expected}, got {factory!r}.")
    try:
        made = call_with_params(factory, spec, game, seed=seed, reserved=("seed",))
    except StarspielError:
        raise
    except Exception as error:
        raise SpecError(f"evaluator {spec} raised {type(error).__name__}: {error}; {expected}.") from error
    if isinstance(made, Evaluator):
        return made
    if callable(made):
        return FunctionEvaluator(made, name=str(spec))
    raise SpecError(f"evaluator {spec}: {expected}; it returned {made!r}.")


def as_evaluator(
    evaluator: Evaluator | Callable[[Any], float] | str | Spec | None, game: Game, seed: int | None = None
) -> Evaluator:
    """An Evaluator as it is, a spec made, a plain function wrapped, None as zero."""
    if evaluator is None:
        return ZeroEvaluator(game)
    if isinstance(evaluator, str | Spec):
        return make_evaluator(evaluator, game, seed)
    if isinstance(evaluator, Evaluator):
        return evaluator
    if callable(evaluator):
        return FunctionEvaluator(evaluator)
    raise SpecError(f"expected an evaluator, its spec or a function of a state, got {evaluator!r}.")
