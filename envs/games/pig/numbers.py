"""Pig as the native core is told of it, in whole numbers."""

from starspiel.envs.games.pig.rules import Pig, PigPosition


def parameters(rules: Pig) -> tuple[int, ...]:
    """Those of the rules, in the order in which the model takes them."""
    return rules.goal, rules.sides, rules.piglet


def numbers(position: PigPosition) -> tuple[int, ...]:
    """Those of a position, in the order in which the model reads them."""
    return *position.scores, position.turn_total, position.turn_player, position.acting
