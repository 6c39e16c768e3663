"""The games written in Python that the core has models of, and their positions as those read them.

A model in native/models plays as a class of `Rules` does, move for move: tests/native/test_rules_models.py.
What inherits from such a class may play by other rules, and has no model.
"""

from importlib import import_module
from typing import Any

import pyspiel

from starspiel.agents.native_loader import is_native
from starspiel.envs.base import Game
from starspiel.envs.errors import shown
from starspiel.envs.kits import kit_of_rules
from starspiel.envs.rules import RulesState


def modelled(game: Game) -> bool:
    """Whether the game is written in Python and the core has a model of its rules."""
    kit = kit_of_rules(type(game))
    return kit is not None and bool(kit.numbers)


def for_core(core: Any, state: Any) -> Any:
    """The state as the core takes it: pyspiel's own, or the position of rules that it has a model of.

    Raises ValueError if the model is not for these parameters or knows no such position.
    """
    if isinstance(state, pyspiel.State):
        return state
    rules = state.rules
    kit = kit_of_rules(type(rules))
    assert kit is not None, f"no model of {rules.name}"
    told = import_module(kit.numbers)
    try:
        return core.RulesPosition(kit.name, told.parameters(rules), told.numbers(state.position), state)
    except TypeError:
        raise ValueError(
            f"expected a position of whole numbers below 2^63, got {shown(state.position)}"
        ) from None


def why_not_played(core: Any, state: Any, game: Game) -> str | None:
    """Why the core does not play on from a state, in a sentence; None if it does."""
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
