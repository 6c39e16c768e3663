"""The Royal Game of Ur as the native core is told of it, in whole numbers."""

from starspiel.envs.games.royal_game_of_ur.rules import RoyalGameOfUr, UrPosition


def parameters(rules: RoyalGameOfUr) -> tuple[int, ...]:
    """Those of the rules, in the order in which the model takes them."""
    return rules.pieces, rules.dice


def numbers(position: UrPosition) -> tuple[int, ...]:
    """Those of a position, in the order in which the model reads them."""
    mover, roll, squares, home = position
    return mover, roll, *squares, *home
