"""The base class of heuristics of OpenSpiel's games."""

from collections.abc import Sequence
from math import exp

from starspiel.envs.openspiel.game import OpenSpielGame


class CoreHeuristic:
    """A heuristic of positions, with values from -1 to 1 for one or two players, for all forms of a game.

    With more players values are vectors, inside the game's utility range.

    Subclasses declare their counterparts in the native core themselves, by `for_core`.
    """

    range: tuple[float, float] | None = (-1.0, 1.0)
    by_position = uncalibrated = True

    def __init__(self, game: OpenSpielGame) -> None:
        if game.num_players > 2:
            self.range, self.constant_sum = game.utility_range, True


def expected_returns(scores: Sequence[float], won: float) -> tuple[float, ...]:
    """Every player's expected return if one wins all, with chances in proportion to exp(score).

    The winner is paid `won`, and each of the others pays an equal share of that; at a score that leaves all
    others behind the return is `won`, and far behind it is -won / (players - 1).
    """
    players = len(scores)
    weights = [exp(score) for score in scores]
    total = sum(weights)
    return tuple((players * (weight / total) - 1) * won / (players - 1) for weight in weights)
