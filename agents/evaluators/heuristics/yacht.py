"""A heuristic for OpenSpiel's yacht with two players: the expected lead in points."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic
from starspiel.envs.games.fitted import core_heuristic

CATEGORIES = (
    *("Ones", "Twos", "Threes", "Fours", "Fives", "Sixes"),
    *("Chance", "4Kind", "Full", "SmStr", "LgStr", "Yacht"),
)
#: What each category brings on average to someone who rolls three times for it alone.
PAR = dict(
    zip(
        CATEGORIES,
        (2.1065, 4.2130, 6.3194, 8.4259, 10.5324, 12.6389, 23.3333, 5.6113, 7.0136, 5.9049, 5.9049, 2.3014),
        strict=True,
    )
)
#: The lead, in points, that counts as a won game.
_DECISIVE = 100.0


class YachtHeuristic(CoreHeuristic):
    """(player 0's expected total - player 1's) / 100, clipped to [-1, 1].

    A player's expected total is what is scored, plus `PAR` for every open category, plus how far the dice on
    the table beat the par of their best open category.
    """

    name = "heuristic(yacht)"
    for_core = core_heuristic

    @staticmethod
    def plays(game: Any) -> bool:
        """Whether the game is the usual one: two players, five six-sided dice, three rolls."""
        wanted = {"players": 2, "num_dice": 5, "dice_sides": 6, "rolls_per_turn": 3}
        parameters = game.pyspiel_game.get_parameters()
        return all(parameters[name] == value for name, value in wanted.items())

    def __call__(self, state: pyspiel.State, /) -> float:
        turn, sheet_0, sheet_1 = str(state).split("\n\n")[:3]
        lead = _expected_total(sheet_0) - _expected_total(sheet_1)
        lines = turn.split("\n")
        dice = [int(die) for die in lines[1].removeprefix("Dice: ").split()]
        if dice[0]:
            mover = lines[0][-1]
            sheet = sheet_0 if mover == "0" else sheet_1
            bonus = max(
                score(category, dice) - PAR[category] for category in CATEGORIES if category not in sheet
            )
            lead += bonus if mover == "0" else -bonus
        return max(-1.0, min(1.0, lead / _DECISIVE))


def _expected_total(sheet: str) -> float:
    head, *filled = sheet.strip("\n").split("\n")
    scored = int(head[head.index("total: ") + 7 : -2])
    return scored + _PAR_OF_ALL - sum(PAR[line.strip().partition(":")[0]] for line in filled)


_PAR_OF_ALL = sum(PAR.values())


def score(category: str, dice: Sequence[int]) -> int:
    """What the dice score in a category, by OpenSpiel's rules (Knizia's)."""
    index = CATEGORIES.index(category)
    if index < 6:
        return (index + 1) * dice.count(index + 1)
    counts = sorted(Counter(dice).values())
    match category:
        case "Chance":
            return sum(dice)
        case "4Kind":
            return sum(dice) if counts[-1] >= 4 else 0
        case "Full":
            return sum(dice) if counts in ([2, 3], [5]) else 0
        case "SmStr":
            return 30 if sorted(dice) == [1, 2, 3, 4, 5] else 0
        case "LgStr":
            return 30 if sorted(dice) == [2, 3, 4, 5, 6] else 0
        case _:
            return 50 if counts == [5] else 0
