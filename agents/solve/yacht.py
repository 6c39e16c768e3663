"""Describes OpenSpiel's yacht as a game of categories, and reads its states."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from starspiel.agents.evaluators.heuristics.yacht import CATEGORIES, score
from starspiel.agents.solve.categories import CategoryGame, Turn
from starspiel.envs.base import CHANCE

#: The most multisets of kept dice for which tables are made, in some seconds.
_MOST_KEPT = 2000
_HEAD = re.compile(r"Turn player: (\d+)\nDice: ([\d ]*)\nRoll: (\d+)/")
_SHEET = re.compile(r"Player (\d+) \(total: (\d+)\):\n((?:  .*\n?)*)")


def turn_of(parameters: dict[str, Any]) -> Turn | None:
    """Returns the turns of yacht with these parameters; None if there are too many dice for tables."""
    turn = Turn(parameters["num_dice"], parameters["dice_sides"], parameters["rolls_per_turn"])
    # With more than five dice, or only two sides, the categories would have another meaning.
    return turn if turn.dice <= 5 and turn.sides >= 3 and turn.kept_count <= _MOST_KEPT else None


@cache
def category_game(turn: Turn) -> CategoryGame:
    """Returns yacht with such turns as a game of categories."""
    scores = np.array([[float(score(name, roll)) for name in CATEGORIES] for roll in turn.rolls])
    return CategoryGame(turn, scores)


@dataclass(frozen=True)
class YachtView:
    """The contents of a state of yacht.

    Attributes:
        turn: the player whose turn it is.
        dice: the dice on the table, or those kept while the others are thrown; ascending.
        throwing: whether dice are being thrown.
        thrown: how many throws the turn has had.
        totals: each player's points so far.
        filled: the categories that each player has filled, as bits.
    """

    turn: int
    dice: tuple[int, ...]
    throwing: bool
    thrown: int
    totals: tuple[int, ...]
    filled: tuple[int, ...]


def view(state: Any) -> YachtView:
    """Returns the contents of a state of yacht. Raises ValueError if its text has another form."""
    text = str(state)
    head = _HEAD.search(text)
    if head is None:
        raise ValueError(f"expected a state of yacht, got {text!r}")
    turn, thrown = int(head[1]), int(head[3])
    dice = [int(die) for die in head[2].split()]
    throwing = state.current_player() == CHANCE
    if throwing:
        mask = state.history()[-1] if thrown > 0 else -1
        dice = [die for place, die in enumerate(dice) if not mask >> place & 1]
    totals, filled = [], []
    for sheet in _SHEET.finditer(text):
        totals.append(int(sheet[2]))
        names = [line.strip().partition(":")[0] for line in sheet[3].splitlines() if line.strip()]
        filled.append(sum(1 << CATEGORIES.index(name) for name in names))
    return YachtView(turn, tuple(sorted(dice)), throwing, thrown, tuple(totals), tuple(filled))
