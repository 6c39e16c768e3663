"""Provides the agent `random`, which every other agent should beat."""

import random
from typing import Any

from starspiel.agents.bot import Bot, Policy, check_turn
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import Game, actions_of


class RandomBot(Bot):
    """Plays every legal action with equal probability.

    Args:
        player: the seat; it matters only if all players move at once.
    """

    is_uniform = True

    def __init__(self, game: Game, seed: int | None = None, player: int = 0) -> None:
        super().__init__()
        self._game = game
        self.player = player
        self._seed = seed_number(seed)
        self.restart()

    def __repr__(self) -> str:
        return f"<random bot for {self._game.name}>"

    def restart(self) -> None:
        self._random = random.Random(self._seed)

    def step(self, state: Any) -> int:
        check_turn(state, self._game)
        return int(self._random.choice(actions_of(state, self.player)))

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        return self.get_policy(state), self.step(state)

    def get_policy(self, state: Any) -> Policy:
        check_turn(state, self._game)
        actions = actions_of(state, self.player)
        return [(action, 1 / len(actions)) for action in actions]
