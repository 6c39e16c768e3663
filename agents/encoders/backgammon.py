"""Encodes backgammon for networks."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from starspiel.agents.encoders.base import BeforeTheDice, Features
from starspiel.envs.base import CHANCE

_ROLLS = [*product(range(1, 7), repeat=2)]
_MOST_OF_ROLLS = (36, 36 * 24, 36, 36 * 15, 36, 36 * 7)


class BackgammonEncoder(BeforeTheDice):
    """Tesauro's four inputs per point and side (1995), bars, men off, pips, whether there is contact, and
    what the next roll can do for each side (`inputs_of_rolls`).
    """

    name = "backgammon"
    version = 2
    _SIDE = 24 * 4 + 3
    units = np.array(
        ([1, 1, 1, 0.5] * 24 + [0.5, 1 / 15, 1 / 100]) * 2 + [1] + [1 / most for most in _MOST_OF_ROLLS] * 2,
        dtype=np.float32,
    )

    def sees(self, state: Any) -> bool:
        # The opening roll decides who begins.
        return bool(state.current_player() == CHANCE and state.move_number() > 0)

    def encode(self, state: Any) -> Features:
        turn = self.turn(state)
        observed = state.observation_tensor(0)
        features: Features = []
        sides = []
        for side, player in enumerate((turn, 1 - turn)):
            base = side * self._SIDE
            bar, off = int(observed[192 + 3 * player]), int(observed[193 + 3 * player])
            men = [
                state.board(player, 24 - distance if player == 0 else distance - 1)
                for distance in range(1, 25)
            ]
            men = [off, *men, bar]
            sides.append(men)
            for distance in range(1, 25):
                if men[distance] == 0:
                    continue
                first = base + 4 * (distance - 1)
                features.append((first + min(men[distance], 3) - 1, 1))
                if men[distance] > 3:
                    features.append((first + 3, men[distance] - 3))
            features += [(base + 96, bar)] * (bar > 0) + [(base + 97, off)] * (off > 0)
            features.append((base + 98, sum(distance * men[distance] for distance in range(1, 26))))
        if sum(map(farthest, sides)) <= 25:
            return features
        rolls = inputs_of_rolls(*sides) + inputs_of_rolls(*reversed(sides))
        features.append((2 * self._SIDE, 1))
        return features + [(2 * self._SIDE + 1 + i, count) for i, count in enumerate(rolls) if count]


def farthest(men: Sequence[int]) -> int:
    """Returns the distance of the last man; 25 if it is on the bar."""
    return max((distance for distance in range(1, 26) if men[distance]), default=0)


def inputs_of_rolls(men: Sequence[int], other: Sequence[int]) -> list[int]:
    """Returns what the next roll can do for one side; `men` and the opponent's are given by distance.

    Returns:
        Six numbers: of the 36 rolls, those that can hit a blot; the pips lost to the best hit, summed over
        the rolls; the rolls with which the last man cannot play both dice; the same summed over all men; the
        most such rolls at any point from 13 to the bar; and their sum from 19 to the bar.
    """
    made = {25 - distance for distance in range(1, 25) if other[distance] > 1}
    blots = {25 - distance for distance in range(1, 25) if other[distance] == 1}
    hits = [max(_landed(men, made, roll) & blots, default=0) for roll in _ROLLS]
    blocked = [
        sum({distance - one, distance - two} <= made or distance - one - two in made for one, two in _ROLLS)
        for distance in range(26)
    ]
    each = [men[distance] * blocked[distance] for distance in range(1, 26)]
    return [
        sum(hit > 0 for hit in hits),
        sum(hits),
        blocked[farthest(men)],
        sum(each),
        max(blocked[13:]),
        sum(blocked[19:]),
    ]


def _landed(men: Sequence[int], made: set[int], roll: tuple[int, ...]) -> set[int]:
    """Returns the points where men may land with a roll; men on the bar enter first."""
    landed: set[int] = set()
    for dice in [roll * 2] if roll[0] == roll[1] else [roll, roll[::-1]]:
        points = {distance for distance in range(1, 25) if men[distance]}
        for move, die in enumerate(dice):
            enters = move < men[25]
            to = {distance - die for distance in ({25} if enters else points)} - made - {*range(-6, 1)}
            if enters and not to:
                break
            points |= to
            landed |= to
    return landed
