"""Provides the base class of the heuristics of OpenSpiel's games."""

from collections.abc import Sequence
from math import exp

from starspiel.envs.openspiel.game import OpenSpielGame


class CoreHeuristic:
    """A heuristic of positions for all variants of a game, with values from -1 to 1 for one or two players.

    With more players, values are vectors within the game's utility range.

    Subclasses declare their own counterparts in the native core, by `for_core`.
    """

    range: tuple[float, float] | None = (-1.0, 1.0)
    by_position = uncalibrated = True

    def __init__(self, game: OpenSpielGame) -> None:
        if game.num_players > 2:
            self.range, self.constant_sum = game.utility_range, True


def expected_returns(scores: Sequence[float], won: float) -> tuple[float, ...]:
    """Returns every player's expected return if one player wins, with chances in proportion to exp(score).

    The winner is paid `won`, and the others pay equal shares of it. A player whose score is far ahead of all
    others has a return close to `won`; one far behind has a return close to -won / (players - 1).
    """
    players = len(scores)
    weights = [exp(score) for score in scores]
    total = sum(weights)
    return tuple((players * (weight / total) - 1) * won / (players - 1) for weight in weights)
