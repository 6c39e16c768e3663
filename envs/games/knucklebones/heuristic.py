"""A heuristic for Knucklebones: the difference of the scores, which counts more if the grids are fuller."""

from collections.abc import Sequence

from starspiel.envs.games.fitted import FittedHeuristic, core_heuristic
from starspiel.envs.games.knucklebones.rules import KnucklebonesPosition, column_score


class KnucklebonesHeuristic(FittedHeuristic):
    """The features: score difference, the same times the fill of the fuller grid, dice difference, turn.

    Scores are in units of the mean score of a full grid without equal dice, dice in units of a full grid.
    """

    name = "heuristic(knucklebones)"
    weights = (0.28, 1.86, 0.13, 0.13)
    for_core = core_heuristic

    def features(self, position: KnucklebonesPosition) -> Sequence[float]:
        rules = self.rules
        cells = rules.columns * rules.rows
        first, second = position.grids
        lead = sum(map(column_score, first)) - sum(map(column_score, second))
        lead /= cells * (rules.sides + 1) / 2
        dice = sum(map(len, first)), sum(map(len, second))
        turn = 1.0 if position.mover == 0 else -1.0
        return lead, lead * max(dice) / cells, (dice[0] - dice[1]) / cells, turn
