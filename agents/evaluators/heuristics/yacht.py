"""Provides a heuristic for OpenSpiel's yacht with two to six players: the expected lead in points."""

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Any

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic, expected_returns
from starspiel.envs.games.fitted import core_heuristic
from starspiel.envs.openspiel.game import OpenSpielGame

CATEGORIES = (
    *("Ones", "Twos", "Threes", "Fours", "Fives", "Sixes"),
    *("Chance", "4Kind", "Full", "SmStr", "LgStr", "Yacht"),
)
#: The mean score of each category for a player who rolls three times for it alone.
PAR = dict(
    zip(
        CATEGORIES,
        (2.1065, 4.2130, 6.3194, 8.4259, 10.5324, 12.6389, 23.3333, 5.6113, 7.0136, 5.9049, 5.9049, 2.3014),
        strict=True,
    )
)
#: The lead, in points, that counts as a won game.
_DECISIVE = 100.0
#: A lead by this many points x sqrt(1 + n), with n open categories, makes a player e times as likely to win.
_SPREAD = 10.0


class YachtHeuristic(CoreHeuristic):
    """(player 0's expected total - player 1's) / 100, clipped to [-1, 1].

    A player's expected total is the score so far, plus `PAR` for every open category, plus the margin by
    which the dice on the table beat the par of their best open category. With more players, values are the
    returns of winning chances in proportion to exp(expected total / spread), where the spread is 10 sqrt(1 +
    open categories of a player).
    """

    name = "heuristic(yacht)"
    for_core = core_heuristic

    @staticmethod
    def plays(game: Any) -> bool:
        """Returns whether the game is the usual one: 2 or more players, 5 six-sided dice, 3 rolls."""
        wanted = {"num_dice": 5, "dice_sides": 6, "rolls_per_turn": 3}
        parameters = game.pyspiel_game.get_parameters()
        usual = all(parameters[name] == value for name, value in wanted.items())
        return usual and bool(game.num_players >= 2)

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self._players = game.num_players

    def __call__(self, state: pyspiel.State, /) -> float | tuple[float, ...]:
        turn, *sheets = str(state).split("\n\n")[: self._players + 1]
        lines = turn.split("\n")
        dice = [int(die) for die in lines[1].removeprefix("Dice: ").split()]
        mover = int(lines[0][-1])
        bonus = _bonus(sheets[mover], dice) if dice[0] else 0.0
        if self._players > 2:
            totals = [_expected_total(sheet) for sheet in sheets]
            totals[mover] += bonus
            is_open = sum(category not in sheet for sheet in sheets for category in CATEGORIES)
            spread = _SPREAD * sqrt(1 + is_open / self._players)
            most = max(totals)
            return expected_returns([(total - most) / spread for total in totals], won=1.0)
        lead = _expected_total(sheets[0]) - _expected_total(sheets[1])
        lead += bonus if mover == 0 else -bonus
        return max(-1.0, min(1.0, lead / _DECISIVE))


def _bonus(sheet: str, dice: Sequence[int]) -> float:
    """Returns the margin by which the dice beat the par of the best open category."""
    return max(score(category, dice) - PAR[category] for category in CATEGORIES if category not in sheet)


def _expected_total(sheet: str) -> float:
    head, *filled = sheet.strip("\n").split("\n")
    scored = int(head[head.index("total: ") + 7 : -2])
    return scored + _PAR_OF_ALL - sum(PAR[line.strip().partition(":")[0]] for line in filled)


_PAR_OF_ALL = sum(PAR.values())


def score(category: str, dice: Sequence[int]) -> int:
    """Returns what the dice score in a category, by OpenSpiel's rules (Knizia's)."""
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
