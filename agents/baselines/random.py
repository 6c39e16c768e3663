"""Random play: what every other agent should beat."""

import random
from typing import Any

from starspiel.agents.bots import Bot, Policy


class RandomBot(Bot):
    """Plays every legal action with equal probability."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__()
        self._seed = seed
        self.restart()

    def restart(self) -> None:
        self._random = random.Random(self._seed)

    def step(self, state: Any) -> int:
        return int(self._random.choice(state.legal_actions()))

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        return self.get_policy(state), self.step(state)

    def get_policy(self, state: Any) -> Policy:
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]
