"""OpenSpiel's games taken at their word, for `check_game` to find out what that is worth."""

import pyspiel

from starspiel.envs.openspiel.game import OpenSpielGame


class ClaimedGame(OpenSpielGame):
    """An OpenSpiel game taken at its word: its own bounds, its text as the key, its known faults let through.

    What `check_game` finds wrong with it is why `OpenSpielGame` does not believe OpenSpiel.
    """

    def __init__(self, game: pyspiel.Game) -> None:
        super().__init__(game, believe=True)
        self.utility_range = game.min_utility(), game.max_utility()
        self.key = str
