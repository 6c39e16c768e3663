"""A heuristic for star_pig: the lead, which counts more closer to the goal."""

from collections.abc import Sequence

from starspiel.envs.base import CHANCE
from starspiel.envs.games.fitted import FittedHeuristic, core_heuristic
from starspiel.envs.games.pig.rules import PigPosition


class PigHeuristic(FittedHeuristic):
    """The features: the lead as a share of the goal, and that share divided by what the leader still needs.

    The turn total counts as if it were kept. While the die is rolling, its mean after the roll counts.
    """

    name = "heuristic(star_pig)"
    weights = (1.35, 0.36)
    for_core = core_heuristic

    def features(self, position: PigPosition) -> Sequence[float]:
        rules, goal = self.rules, self.rules.goal
        (first, second), turn, mover, acting = position
        if acting == CHANCE:
            gain = 1 if rules.piglet else (rules.sides + 2) / 2
            turn = (turn + gain) * (rules.sides - 1) / rules.sides
        if mover == 0:
            first = min(first + turn, goal)
        else:
            second = min(second + turn, goal)
        lead = (first - second) / goal
        return lead, lead / (1.1 - max(first, second) / goal)
