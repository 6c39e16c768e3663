"""Registers evaluators, and converts specs and functions to Evaluators."""

from collections.abc import Callable
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, FunctionEvaluator
from starspiel.agents.evaluators.checks import check_game, checked
from starspiel.agents.evaluators.openspiel import OpenSpielEvaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.factories import game_for_factory
from starspiel.agents.from_openspiel import is_mcts_evaluator
from starspiel.agents.registry import EVALUATORS, Entry, check_new, installed, unknown
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import Game, conforms
from starspiel.envs.errors import SpecError, StarspielError, shown
from starspiel.envs.load import load_game
from starspiel.envs.modules import find_in_module
from starspiel.envs.spec import Spec, as_spec, call_with_params


def register_evaluator(name: str, factory: Callable[..., Any]) -> None:
    """Makes `factory(game, **params)` available as the spec `name(...)`; a `seed` keyword gets the seed.

    `factory` gets a `pyspiel.Game` for OpenSpiel games, otherwise a Game. It returns an Evaluator, a function
    of a state or an OpenSpiel `mcts.Evaluator`. Raises SpecError if the name is taken or not an identifier.
    """
    check_new(EVALUATORS, "evaluator", name, factory)
    EVALUATORS[name] = Entry(factory, is_foreign=True)


def evaluator_names() -> list[str]:
    """Returns the names that `make_evaluator` accepts."""
    return sorted(installed(EVALUATORS))


def make_evaluator(spec: str | Spec, game: Any, seed: int | None = None) -> Evaluator:
    """Returns the evaluator of a spec, such as `auto`, `rollout(n=20)` or `net(file=pig.npz)`.

    Args:
        spec: one of `evaluator_names()` with its parameters, or `package.module:factory(param=…)` for a
            factory as in `register_evaluator`.
        game: anything that `load_game` accepts.
        seed: seed of evaluators that draw random numbers.

    Raises SpecError if the name or a parameter does not exist, or the game has no such evaluator.
    """
    parsed, game, seed = as_spec(spec), load_game(game), seed_number(seed)
    if ":" in parsed.name:
        return _external(parsed, find_in_module(parsed.name, "evaluator"), game, seed)
    if parsed.name not in EVALUATORS:
        raise unknown("evaluator", parsed.name, evaluator_names())
    entry = EVALUATORS[parsed.name]
    if entry.is_foreign:
        return _external(parsed, entry.factory, game, seed)
    made: Evaluator = call_with_params(entry.factory, parsed, game, seed=seed, reserved=("seed",))
    return made


def _external(spec: Spec, factory: Any, game: Game, seed: int | None) -> Evaluator:
    """Makes an evaluator by a user's factory."""
    expected = "expected a function or class that takes the game and returns a function of a state"
    if not callable(factory):
        raise SpecError(f"evaluator {spec}: {expected}, got {shown(factory)}.")
    try:
        made = call_with_params(factory, spec, game_for_factory(game), seed=seed, reserved=("seed",))
    except StarspielError:
        raise
    except (Exception, SystemExit) as error:
        raise SpecError(f"evaluator {spec} raised {type(error).__name__}: {error}; {expected}.") from error
    return checked(made, str(spec), game)


def as_evaluator(
    evaluator: Evaluator | Callable[[Any], float] | str | Spec | None, game: Any, seed: int | None = None
) -> Evaluator:
    """Converts a spec, a function, an `mcts.Evaluator` or None (zero) to an Evaluator. Raises SpecError for
    anything else, and EvaluatorError for an evaluator of another game.
    """
    if evaluator is None:
        return ZeroEvaluator(load_game(game))
    if isinstance(evaluator, str | Spec):
        return make_evaluator(evaluator, game, seed)
    if is_mcts_evaluator(evaluator):
        return OpenSpielEvaluator(load_game(game), evaluator)
    if conforms(evaluator, Evaluator) and not isinstance(evaluator, type):
        check_game(evaluator, load_game(game))
        return evaluator
    if callable(evaluator):
        return FunctionEvaluator(evaluator)
    raise SpecError(f"expected an evaluator, its spec or a function of a state, got {shown(evaluator)}.")
