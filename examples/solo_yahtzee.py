"""A game for one that pays on the way: three dice, four boxes to fill, one second throw in each round.

Run from this folder: starspiel solve solo_yahtzee:ThreeDice --output three_dice.npz
"""

from collections import Counter
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules

BOXES = ("sum", "pair", "run", "triple")
FIRST_BOX = 8  # Actions 1 to 7 throw dice again: bit i the i-th, lowest first. Action 8 + b fills box b.


def points(dice: tuple[int, ...], box: int) -> int:
    """What sorted dice are worth in a box."""
    low, middle, high = dice
    pair, run, triple = middle in (low, high), low + 2 == middle + 1 == high, low == high
    return (sum(dice), 3 * middle * pair, 20 * run, 30 * triple)[box]


class Sheet(NamedTuple):
    dice: tuple[int, ...] = ()  # sorted; fewer than three: the others are being thrown
    open: tuple[int, ...] = (0, 1, 2, 3)
    again: bool = True
    score: int = 0


class ThreeDice(Rules[Sheet]):
    name = "solo_yahtzee:ThreeDice"
    num_players = 1
    num_distinct_actions = FIRST_BOX + len(BOXES)
    utility_range = (0.0, 86.0)
    step_rewards = True

    def __init__(self) -> None:
        self.throws: list[list[tuple[int, ...]]] = []
        self.odds: list[tuple[tuple[int, float], ...]] = []
        for count in range(4):
            ways = Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=count))
            self.throws.append(list(ways))
            self.odds.append(tuple((i, way / 6**count) for i, way in enumerate(ways.values())))
        self.max_chance_outcomes = len(self.throws[3])

    def initial(self) -> Sheet:
        return Sheet()

    def player(self, position: Sheet) -> int:
        return TERMINAL if not position.open else CHANCE if len(position.dice) < 3 else 0

    def actions(self, position: Sheet) -> list[int]:
        return [*range(1, 8)] * position.again + [FIRST_BOX + box for box in position.open]

    def chances(self, position: Sheet) -> tuple[tuple[int, float], ...]:
        return self.odds[3 - len(position.dice)]

    def apply(self, position: Sheet, action: int) -> Sheet:
        dice, left, again, score = position
        if len(dice) < 3:
            return Sheet(tuple(sorted(dice + self.throws[3 - len(dice)][action])), left, again, score)
        if action < FIRST_BOX:
            return Sheet(tuple(die for i, die in enumerate(dice) if not action >> i & 1), left, False, score)
        box = action - FIRST_BOX
        return Sheet((), tuple(b for b in left if b != box), True, score + points(dice, box))

    def utility(self, position: Sheet) -> float:
        return float(position.score)

    collected = utility  # the return so far is the score so far

    def position_key(self, position: Sheet) -> Sheet:
        """The position without its score, on which what is still to come does not depend."""
        return Sheet(*position[:3])

    def action_name(self, position: Sheet, player: int, action: int) -> str:
        if player == CHANCE:
            return "rolled " + " ".join(map(str, self.throws[3 - len(position.dice)][action]))
        if action >= FIRST_BOX:
            return BOXES[action - FIRST_BOX]
        return "again " + " ".join(f"die {i + 1}" for i in range(3) if action >> i & 1)

    def draw(self, position: Sheet) -> str:
        boxes = " ".join(BOXES[box] for box in position.open) or "none"
        return f"dice {' '.join(map(str, position.dice))}, open: {boxes}, score {position.score}"

    def observation(self, position: Sheet, player: int) -> Any:
        faces = [position.dice.count(face) / 3 for face in range(1, 7)]
        left = [box in position.open for box in range(len(BOXES))]
        return np.array([*faces, *left, position.again, position.score / 86], np.float32)
