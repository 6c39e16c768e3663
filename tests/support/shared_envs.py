"""Environments that players share, as people write them: Nim for Gymnasium and for PettingZoo."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class Nim(gymnasium.Env[int, int]):
    """Take one to three stones in turn; whoever takes the last one wins.

    Args:
        stones: on the heap at the start.
        paid: "mover" or "player_0", whose reward `step` returns.
        names: what the players are called.
        tell: where the environment says who is to move: "info", "attribute" or "" for nowhere.
    """

    action_space = spaces.Discrete(3, start=1)
    observation_space = spaces.Discrete(100)

    def __init__(
        self, stones: int = 10, paid: str = "mover", names: Any = (0, 1), tell: str = "info"
    ) -> None:
        self.start, self.paid, self.names, self.tell = stones, paid, names, tell
        self.left, self.at_turn = stones, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.left, self.at_turn = self.start, 0
        return self.left, self._info()

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.left -= min(int(action), self.left)
        won = 1.0 if self.left == 0 else 0.0
        if self.paid == "player_0" and self.at_turn == 1:
            won = -won
        self.at_turn = (self.at_turn + 1) % len(self.names)
        return self.left, won, self.left == 0, False, self._info()

    def _info(self) -> dict[str, Any]:
        told = self.names[self.at_turn]
        if self.tell == "attribute":
            self.current_player = told
        mask = np.array([take <= self.left for take in (1, 2, 3)])
        return {"action_mask": mask} | ({"current_player": told} if self.tell == "info" else {})
