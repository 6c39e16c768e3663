"""Checks that factories return evaluators, and that the evaluators support the game."""

from typing import Any

from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators.base import Evaluator, FunctionEvaluator
from starspiel.agents.evaluators.batch import BatchEvaluator
from starspiel.agents.evaluators.network import NetworkEvaluator
from starspiel.agents.evaluators.openspiel import OpenSpielEvaluator
from starspiel.agents.from_openspiel import is_mcts_evaluator
from starspiel.envs.base import Game, conforms
from starspiel.envs.errors import EvaluatorError, SpecError, shown
from starspiel.envs.kits import KITS
from starspiel.envs.named import short_names


def checked(made: Any, name: str, game: Game) -> Evaluator:
    """Converts what a factory returned to an Evaluator; `name` is for functions and OpenSpiel's."""
    if is_mcts_evaluator(made):
        return OpenSpielEvaluator(game, made, name=name)
    if conforms(made, Evaluator):
        return made
    if callable(made):
        return FunctionEvaluator(made, name=name)
    raise SpecError(
        f"evaluator {name}: expected a function or class that takes the game and returns a function of a "
        f"state; it returned {shown(made)}."
    )


def check_game(evaluator: Evaluator, game: Game) -> None:
    """Raises EvaluatorError if the evaluator's heuristic, network or encoder is for another game."""
    if isinstance(evaluator, NetworkEvaluator | BatchEvaluator):
        name = evaluator.network.game if isinstance(evaluator, NetworkEvaluator) else evaluator.game
        known = None if name is None else name.partition("(")[0]
    else:
        made_by = f"{type(evaluator).__module__}:{type(evaluator).__qualname__}"
        known = next((kit.name for kit in KITS if kit.heuristic == made_by), None)
    if known is None:
        return
    is_known = known in short_names(game)
    if isinstance(evaluator, NetworkEvaluator | BatchEvaluator):
        own, theirs = encoder_of(game), evaluator.encoder
        if own is not None and (own.name, own.version, len(own.units)) == (
            theirs.name,
            theirs.version,
            len(theirs.units),
        ):
            return  # the same game, perhaps under another name
        # Other rules of the same name have another encoder; only functions bring their own encoder.
        is_known = is_known and (own is None or not isinstance(evaluator, NetworkEvaluator))
    if is_known:
        return
    raise EvaluatorError(
        f"{evaluator.name} values {known}, not {game.name}; make an evaluator for this game, "
        "or name it by its spec, such as auto."
    )
