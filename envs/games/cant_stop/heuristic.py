"""A heuristic for Can't Stop: each player's progress in the best columns, and what a throw puts at stake."""

from collections.abc import Sequence

from starspiel.envs.base import CHANCE
from starspiel.envs.games.cant_stop.rules import CantStopPosition
from starspiel.envs.games.fitted import FittedHeuristic, core_heuristic


class CantStopHeuristic(FittedHeuristic):
    """The features: progress in all columns, progress in the best (as many as win), columns won, throw, turn.

    Runners count as if the mover stopped now; before a throw, their steps are multiplied by the chance that
    it allows a climb.
    """

    name = "heuristic(cant_stop)"
    weights = (2.3, 1.34, 0.0, 0.07, 0.0)
    for_core = core_heuristic

    def features(self, position: CantStopPosition) -> Sequence[float]:
        heights, runners, mover, _, acting = position
        needed = self.rules.columns_to_win
        kept = self.rules.chance_to_climb(position, mover) if acting == CHANCE else 1.0
        sides = []
        for player in (0, 1):
            parts = []
            for height, runner, length in zip(heights[player], runners, self.rules.lengths, strict=True):
                steps = height + kept * (runner - height) if runner and player == mover else height
                parts.append(steps / length)
            parts.sort(reverse=True)
            best = parts[:needed]
            sides.append((sum(parts) / len(parts), sum(p * p for p in best) / needed, best.count(1) / needed))
        first, second = sides
        turn = 1 if mover == 0 else -1
        return (
            first[0] - second[0],
            first[1] - second[1],
            first[2] - second[2],
            turn * kept if acting == CHANCE else 0,
            turn,
        )
