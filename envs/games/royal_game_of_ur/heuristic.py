"""A heuristic for the Royal Game of Ur: who is ahead in the race, and whose pieces are exposed."""

from collections.abc import Sequence

from starspiel.envs.games.fitted import FittedHeuristic, core_heuristic
from starspiel.envs.games.royal_game_of_ur.rules import UrPosition

#: Progress of the pieces on a set of squares, looked up in two parts: squares 0-7 and 8-16.
_LOW = [sum(square for square in range(8) if mask >> square & 1) for mask in range(256)]
_HIGH = [sum(square + 8 for square in range(9) if mask >> square & 1) for mask in range(512)]


class RoyalGameOfUrHeuristic(FittedHeuristic):
    """The features: steps made and pieces home (as shares), pieces that can be taken, whose turn it is."""

    name = "heuristic(royal_game_of_ur)"
    weights = (2.24, 0.51, -0.034, 0.034)
    for_core = core_heuristic

    def features(self, position: UrPosition) -> Sequence[float]:
        mover, _, squares, home = position
        pieces, exposed = self.rules.pieces, self.rules.exposed
        first, second = squares
        steps = _LOW[first & 255] + _HIGH[first >> 8] - _LOW[second & 255] - _HIGH[second >> 8]
        ahead = home[0] - home[1]
        return (
            (steps / self.rules.home + ahead) / pieces,
            ahead / pieces,
            (first & exposed).bit_count() - (second & exposed).bit_count(),
            1.0 if mover == 0 else -1.0,
        )
