"""Environments as people write them, with nothing but `step`, for `default_agent.py`.

Their dice come from `self.np_random`; their returns are known well enough to tell good play from bad.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class _Env(gymnasium.Env[Any, int]):
    def __init__(self, actions: int) -> None:
        self.action_space = spaces.Discrete(actions)
        self.observation_space = spaces.Box(-1e3, 1e3, (40,), np.float64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.start()
        return self.shown(), self.told()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        reward, over = self.play(int(action))
        return self.shown(), float(reward), over, False, self.told()

    def die(self) -> int:
        return int(self.np_random.integers(1, 7))

    def told(self) -> dict[str, Any]:
        return {}

    def start(self) -> None: ...
    def shown(self) -> Any: ...
    def play(self, action: int) -> tuple[float, bool]: ...


class UpToTen(_Env):
    """Roll a die as often as you dare; stopping (0) pays the sum, more than ten nothing. Optimum: 7.00."""

    def __init__(self) -> None:
        super().__init__(2)

    def start(self) -> None:
        self.total = 0

    def shown(self) -> int:
        return self.total

    def play(self, action: int) -> tuple[float, bool]:
        if action == 0:
            return self.total, True
        self.total += self.die()
        return 0.0, self.total > 10


class Yahtzee(_Env):
    """Thirteen boxes, five dice, two rerolls; no bonuses for further Yahtzees. Good play: about 245."""

    def __init__(self) -> None:
        super().__init__(31 + 13)  # reroll these dice (bits of action + 1), or fill a box

    def start(self) -> None:
        self.boxes = [False] * 13
        self.upper = 0
        self.throw()

    def throw(self) -> None:
        self.dice, self.rerolls = sorted(self.die() for _ in range(5)), 2

    def shown(self) -> tuple[Any, ...]:
        return *self.dice, self.rerolls, self.upper, *self.boxes

    def told(self) -> dict[str, Any]:
        rerolls = [int(self.rerolls > 0)] * 31
        return {"action_mask": np.array([*rerolls, *(int(not box) for box in self.boxes)], np.int8)}

    def play(self, action: int) -> tuple[float, bool]:
        if action < 31:
            again = [(action + 1) >> place & 1 for place in range(5)]
            self.dice = sorted(self.die() if a else old for a, old in zip(again, self.dice, strict=True))
            self.rerolls -= 1
            return 0.0, False
        box = action - 31
        paid, self.boxes[box] = self.points(box), True
        if box < 6:
            paid += 35 * (self.upper < 63 <= self.upper + paid)
            self.upper += paid
        self.throw()
        return paid, all(self.boxes)

    def points(self, box: int) -> int:
        counts = sorted((self.dice.count(face) for face in set(self.dice)), reverse=True)
        faces = set(self.dice)
        if box < 6:
            return (box + 1) * self.dice.count(box + 1)
        runs = [sum(face in faces for face in range(low, low + 4)) == 4 for low in (1, 2, 3)]
        fits = {
            6: (counts[0] >= 3, sum(self.dice)),
            7: (counts[0] >= 4, sum(self.dice)),
            8: (counts == [3, 2], 25),
            9: (any(runs), 30),
            10: (faces in ({1, 2, 3, 4, 5}, {2, 3, 4, 5, 6}), 40),
            11: (counts[0] == 5, 50),
            12: (True, sum(self.dice)),
        }
        fit, paid = fits[box]
        return paid if fit else 0


class SlipperySokoban(_Env):
    """Push two boxes onto two goals within 60 steps; one step in ten goes astray. At most about 10."""

    WALLS = ("#######", "#     #", "#     #", "#     #", "#     #", "#######")

    def __init__(self) -> None:
        super().__init__(4)

    def start(self) -> None:
        self.me, self.boxes, self.goals = (1, 1), {(2, 2), (3, 3)}, {(2, 4), (4, 3)}
        self.time = 0

    def shown(self) -> tuple[Any, ...]:
        return *self.me, *sorted(self.boxes), self.time

    def play(self, action: int) -> tuple[float, bool]:
        self.time += 1
        if self.np_random.random() < 0.1:
            action = int(self.np_random.integers(4))
        down, right = ((-1, 0), (0, 1), (1, 0), (0, -1))[action]
        to = self.me[0] + down, self.me[1] + right
        beyond = to[0] + down, to[1] + right
        before = len(self.boxes & self.goals)
        if to in self.boxes and self.free(beyond):
            self.boxes = (self.boxes - {to}) | {beyond}
            self.me = to
        elif self.free(to):
            self.me = to
        done = self.boxes == self.goals
        gained = len(self.boxes & self.goals) - before
        return gained + 10.0 * done - 0.1, done or self.time == 60

    def free(self, at: tuple[int, int]) -> bool:
        return self.WALLS[at[0]][at[1]] == " " and at not in self.boxes


class Snakes(_Env):
    """Snakes and ladders on 100 fields with two dice: move on by one of them or both. Pays -1 a throw."""

    JUMPS = {  # noqa: RUF012
        **{4: 14, 9: 31, 21: 42, 28: 84, 51: 67, 71: 91, 80: 99},
        **{16: 6, 47: 26, 49: 11, 56: 53, 62: 19, 64: 60, 87: 24, 93: 73, 95: 75, 98: 78},
    }

    def __init__(self) -> None:
        super().__init__(3)

    def start(self) -> None:
        self.at, self.time, self.dice = 0, 0, (self.die(), self.die())

    def shown(self) -> tuple[int, ...]:
        return self.at, *self.dice

    def play(self, action: int) -> tuple[float, bool]:
        to = self.at + (*self.dice, sum(self.dice))[action]
        if to <= 100:
            self.at = self.JUMPS.get(to, to)
        self.time += 1
        self.dice = self.die(), self.die()
        return -1.0, self.at == 100 or self.time == 100
