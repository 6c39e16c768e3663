"""Converts positions of Python rules for the native core's models of them.

A model in native/models plays move for move like a class of `Rules`: tests/native/test_rules_models.py checks
this. A subclass may have other rules, so it has no model.
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
    """Returns whether the game consists of Python rules that the core has a model of."""
    kit = kit_of_rules(type(game))
    return kit is not None and bool(kit.numbers)


def for_core(core: Any, state: Any) -> Any:
    """Returns the state in the form that the core accepts: a pyspiel state, or the position of rules with a
    model.

    Raises ValueError if the model does not support the game's parameters or the position.
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
    """Returns why the core does not support a state, as a sentence; None if it does."""
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
