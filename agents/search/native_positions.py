"""The games written in Python that the core has models of, and their positions as those read them.

A model in native/models is the twin of a class of `Rules`, move for move: tests/native/test_rules_models.py.
What inherits from such a class may play by other rules, and has no model.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pyspiel

from starspiel.agents.search.native_loader import is_native
from starspiel.envs.base import Game
from starspiel.envs.errors import shown
from starspiel.envs.games.cant_stop import CantStop, CantStopPosition
from starspiel.envs.games.dice import Dice, DicePosition
from starspiel.envs.games.knucklebones import Knucklebones, KnucklebonesPosition
from starspiel.envs.games.pig import Pig, PigPosition
from starspiel.envs.games.royal_game_of_ur import RoyalGameOfUr, UrPosition
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


def _cant_stop_numbers(position: CantStopPosition) -> tuple[int, ...]:
    (first, second), runners, mover, climbs, acting = position
    return *first, *second, *runners, mover, acting, len(climbs), *climbs


def _dice_numbers(position: DicePosition) -> tuple[int, ...]:
    # Of greater boards than the core's 64 cells the rest is left out: they are refused by their size.
    halves = (stones >> shift & 2**32 - 1 for stones in position.stones for shift in (0, 32))
    return *halves, position.mover, position.acting, position.die


def _knucklebones_numbers(position: KnucklebonesPosition) -> tuple[int, ...]:
    grids, mover, die, acting = position
    columns = (number for grid in grids for column in grid for number in (len(column), *column))
    return *columns, mover, acting, die


def _ur_numbers(position: UrPosition) -> tuple[int, ...]:
    mover, roll, squares, home = position
    return mover, roll, *squares, *home


def _pig_numbers(position: PigPosition) -> tuple[int, ...]:
    return *position.scores, position.turn_total, position.turn_player, position.acting


def _2048_numbers(position: TwentyFortyEightPosition) -> tuple[int, ...]:
    return *position.tiles, position.score, position.acting


MODELS: dict[type[Rules[Any]], CoreModel] = {
    CantStop: CoreModel(
        "cant_stop", lambda rules: (rules.sides, rules.shortest, rules.columns_to_win), _cant_stop_numbers
    ),
    Dice: CoreModel("dice", lambda rules: (rules.size, rules.line, rules.full == "reroll"), _dice_numbers),
    Knucklebones: CoreModel(
        "knucklebones", lambda rules: (rules.columns, rules.rows, rules.sides), _knucklebones_numbers
    ),
    Pig: CoreModel("star_pig", lambda rules: (rules.goal, rules.sides, rules.piglet), _pig_numbers),
    RoyalGameOfUr: CoreModel("royal_game_of_ur", lambda rules: (rules.pieces, rules.dice), _ur_numbers),
    TwentyFortyEight: CoreModel("star_2048", lambda rules: (rules.rows, rules.columns), _2048_numbers),
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
    try:
        return core.RulesPosition(
            model.name, list(model.parameters(rules)), list(model.numbers(state.position)), state
        )
    except TypeError:
        raise ValueError(
            f"expected a position of whole numbers below 2^63, got {shown(state.position)}"
        ) from None


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
