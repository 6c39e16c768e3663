"""Can't Stop as the native core is told of it, in whole numbers."""

from starspiel.envs.games.cant_stop.rules import CantStop, CantStopPosition


def parameters(rules: CantStop) -> tuple[int, ...]:
    """Those of the rules, in the order in which the model takes them."""
    return rules.sides, rules.shortest, rules.columns_to_win


def numbers(position: CantStopPosition) -> tuple[int, ...]:
    """Those of a position, in the order in which the model reads them."""
    (first, second), runners, mover, climbs, acting = position
    return *first, *second, *runners, mover, acting, len(climbs), *climbs
