"""Farkle for one, as people write it for Gymnasium: a mask, dice from np_random, nothing but `step`."""

from collections import Counter
from functools import cache
from itertools import product
from typing import Any

import gymnasium
import numpy as np

#: Which of six dice are kept, and whether the points are banked afterwards: 2 * kept + banked.
_ACTIONS = 2 * 2**6


class Farkle(gymnasium.Env[Any, Any]):
    """So many turns of throwing six dice; the reward is what a turn has banked.

    After a throw some scoring dice are set aside. Then the points of the turn are banked, or the other dice
    thrown again (all six if all have scored). A throw without a scoring die loses the points of the turn.
    """

    action_space = gymnasium.spaces.Discrete(_ACTIONS)
    observation_space = gymnasium.spaces.MultiDiscrete([7] * 6 + [100_000])

    def __init__(self, turns: int = 3) -> None:
        self.turns = turns

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.turn, self.points = 0, 0
        self._throw(6)
        return self._seen()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        kept, banked = divmod(int(action), 2)
        dice = [die for i, die in enumerate(self.dice) if kept >> i & 1]
        self.points += points(tuple(sorted(dice)))
        reward = 0.0
        if banked:
            reward = float(self.points)
            self.turn, self.points = self.turn + 1, 0
        over = self.turn >= self.turns
        if not over:
            self._throw(6 if banked else len(self.dice) - len(dice) or 6)
            over = self.turn >= self.turns
        observation, info = self._seen()
        return observation, reward, over, False, info

    def _throw(self, dice: int) -> None:
        """Throws until there is something to keep; each throw without ends a turn."""
        while self.turn < self.turns:
            self.dice = tuple(sorted(self.np_random.integers(1, 7, size=dice).tolist()))
            if any(points(self.dice[i : i + 1]) for i in range(dice)) or scoring(self.dice):
                return
            self.turn, self.points, dice = self.turn + 1, 0, 6

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        mask = np.zeros(_ACTIONS, np.int8)
        for kept in scoring(self.dice):
            mask[[2 * kept, 2 * kept + 1]] = 1
        padded = (*self.dice, *(0,) * (6 - len(self.dice)), self.points)
        return np.array(padded), {"action_mask": mask}


@cache
def scoring(dice: tuple[int, ...]) -> tuple[int, ...]:
    """The sets of dice that may be kept, as bits; of sets with the same dice only one."""
    sets = {}
    for bits in product((0, 1), repeat=len(dice)):
        kept = tuple(die for die, bit in zip(dice, bits, strict=True) if bit)
        if points(kept):
            sets[kept] = sum(bit << i for i, bit in enumerate(bits))
    return tuple(sorted(sets.values()))


@cache
def points(kept: tuple[int, ...]) -> int:
    """What dice score together; 0 if one of them does not."""
    if not kept:
        return 0
    if kept == (1, 2, 3, 4, 5, 6):
        return 1500
    total = 0
    for die, count in Counter(kept).items():
        if count >= 3:
            total += (1000 if die == 1 else 100 * die) * 2 ** (count - 3)
        elif die in (1, 5):
            total += count * (100 if die == 1 else 50)
        else:
            return 0
    return total
