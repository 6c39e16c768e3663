"""2048 as the native core is told of it, in whole numbers."""

from starspiel.envs.games.twenty_forty_eight.rules import TwentyFortyEight, TwentyFortyEightPosition


def parameters(rules: TwentyFortyEight) -> tuple[int, ...]:
    """Those of the rules, in the order in which the model takes them."""
    return rules.rows, rules.columns


def numbers(position: TwentyFortyEightPosition) -> tuple[int, ...]:
    """Those of a position, in the order in which the model reads them."""
    return *position.tiles, position.score, position.acting
