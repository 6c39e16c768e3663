"""Dice as the native core is told of it, in whole numbers."""

from starspiel.envs.games.dice.rules import Dice, DicePosition


def parameters(rules: Dice) -> tuple[int, ...]:
    """Those of the rules, in the order in which the model takes them."""
    return rules.size, rules.line, rules.full == "reroll"


def numbers(position: DicePosition) -> tuple[int, ...]:
    """Those of a position, in the order in which the model reads them."""
    # Of greater boards than the core's 64 cells the rest is left out: they are refused by their size.
    halves = (stones >> shift & 2**32 - 1 for stones in position.stones for shift in (0, 32))
    return *halves, position.mover, position.acting, position.die
