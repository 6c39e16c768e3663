"""The games written in Python that the core has models of, and their positions as those read them.

A model in native/models is the twin of a class of `Rules`, move for move: tests/native/test_rules_models.py.
What inherits from such a class may play by other rules, and has no model.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pyspiel

from starspiel.agents.search.core import is_native
from starspiel.envs.base import Game
from starspiel.envs.games.pig import Pig, PigPosition
from starspiel.envs.games.twenty_forty_eight import TwentyFortyEight, TwentyFortyEightPosition
from starspiel.envs.rules import Rules, RulesState


@dataclass(frozen=True, slots=True)
class CoreModel:
    """How the core is told of rules and their positions: in whole numbers.

    Attributes:
        name: of the model, its `kName`.
        parameters: those of the rules, in the order in which the model takes them.
        numbers: those of a position, in the order in which the model's `Read` takes them.
    """

    name: str
    parameters: Callable[[Any], Iterable[int]]
    numbers: Callable[[Any], Iterable[int]]


def _pig_parameters(rules: Pig) -> tuple[int, ...]:
    return rules.goal, rules.sides, rules.piglet


def _pig_numbers(position: PigPosition) -> tuple[int, ...]:
    return *position.scores, position.turn_total, position.turn_player, position.acting


def _2048_parameters(rules: TwentyFortyEight) -> tuple[int, ...]:
    return rules.rows, rules.columns


def _2048_numbers(position: TwentyFortyEightPosition) -> tuple[int, ...]:
    return *position.tiles, position.score, position.acting


MODELS: dict[type[Rules[Any]], CoreModel] = {
    Pig: CoreModel("star_pig", _pig_parameters, _pig_numbers),
    TwentyFortyEight: CoreModel("star_2048", _2048_parameters, _2048_numbers),
}


def modelled(game: Game) -> bool:
    """Whether the game is written in Python and the core has a model of its rules."""
    return type(game) in MODELS


def for_core(core: Any, state: Any) -> Any:
    """The state as the core takes it: pyspiel's own, or the position of rules that it has a model of.

    Raises ValueError where the model is not for these parameters or knows no such position.
    """
    if isinstance(state, pyspiel.State):
        return state
    model, rules = MODELS[type(state.rules)], state.rules
    return core.RulesPosition(
        model.name, list(model.parameters(rules)), list(model.numbers(state.position)), state
    )


def why_not_played(core: Any, state: Any, game: Game) -> str | None:
    """Why the core does not play on from a state, in a sentence; None where it does."""
    if isinstance(state, pyspiel.State):
        if is_native(core, state):
            return None
        return f"{game.name} is written in Python; the native engine plays OpenSpiel's C++ games."
    if type(state) is not RulesState or not modelled(state.rules):
        return (
            "the native engine searches the states of OpenSpiel's games and of those that come with "
            "starspiel, no others and no samples."
        )
    try:
        for_core(core, state)
    except ValueError as error:
        return f"{error}."
    return None
