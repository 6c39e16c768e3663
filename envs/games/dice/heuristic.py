"""A heuristic for Dice: the lines that each player can still complete, by the number of missing stones."""

from collections.abc import Sequence
from typing import Any

from starspiel.envs.games.dice.rules import DicePosition
from starspiel.envs.games.fitted import FittedHeuristic, core_heuristic


class DiceHeuristic(FittedHeuristic):
    """The features: open lines with one, two and three stones missing, and whose turn it is."""

    name = "heuristic(dice)"
    weights = (0.3, 0.11, 0.037, 0.15)
    for_core = core_heuristic

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._lines = sorted({line for lines in game.lines_through for line in lines})

    def features(self, position: DicePosition) -> Sequence[float]:
        first, second = position.stones
        length = self.rules.line
        missing = [0.0] * (length + 1)
        for line in self._lines:
            mine, other = line & first, line & second
            if mine:
                if not other:
                    missing[length - mine.bit_count()] += 1
            elif other:
                missing[length - other.bit_count()] -= 1
        turn = 1.0 if position.mover == 0 else -1.0
        return missing[1], missing[2], missing[3] if length > 3 else 0.0, turn
