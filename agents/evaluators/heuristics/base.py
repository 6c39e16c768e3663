"""What the heuristics of OpenSpiel's games share."""

from starspiel.envs.openspiel.game import OpenSpielGame


class CoreHeuristic:
    """A heuristic of positions, with values from -1 to 1, for all forms of a game.

    Subclasses declare their counterparts in the native core themselves, by `for_core`.
    """

    range: tuple[float, float] | None = (-1.0, 1.0)
    by_position = True

    def __init__(self, game: OpenSpielGame) -> None:
        pass
