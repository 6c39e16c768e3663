"""Knucklebones as the native core is told of it, in whole numbers."""

from starspiel.envs.games.knucklebones.rules import Knucklebones, KnucklebonesPosition


def parameters(rules: Knucklebones) -> tuple[int, ...]:
    """Those of the rules, in the order in which the model takes them."""
    return rules.columns, rules.rows, rules.sides


def numbers(position: KnucklebonesPosition) -> tuple[int, ...]:
    """Those of a position, in the order in which the model reads them."""
    grids, mover, die, acting = position
    columns = (number for grid in grids for column in grid for number in (len(column), *column))
    return *columns, mover, acting, die
