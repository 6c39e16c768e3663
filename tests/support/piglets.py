"""Piglet that says what a network sees: its positions, each by an entry of its own."""

import numpy as np

from starspiel.envs.base import CHANCE
from starspiel.envs.games.pig import Pig


class Piglet(Pig):
    """Seen if somebody decides: own score, other score and turn total, one entry each."""

    def __init__(self, goal=3):
        super().__init__(goal=goal, piglet=True)
        self.name = f"piglets(goal={goal})"

    def features(self, position):
        if position.acting == CHANCE:
            return None
        mover = position.turn_player
        seen = np.zeros((3, self.goal + 1), np.float32)
        shown = (position.scores[mover], position.scores[1 - mover], position.turn_total)
        for row, number in zip(seen, shown, strict=True):
            row[min(number, self.goal)] = 1
        return seen.ravel()
