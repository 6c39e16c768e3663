"""`DiceGameEnv`: a `Rules` game as a Gymnasium environment."""

from typing import Any, Unpack

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from starspiel.envs.environments.game_env import GameEnv, Settings
from starspiel.envs.environments.register import not_ours
from starspiel.envs.load import load_game
from starspiel.envs.rules import Rules


class DiceGameEnv(GameEnv):
    """A `Rules` game as a Gymnasium environment; see `GameEnv` for steps, rewards and other seats.

    Observations are those of the rules, from the agent's side or, in self-play, that of the player to move.

    Args:
        game: a `Rules` object, or the spec of a shipped game such as `star_pig(goal=50)`.
        settings: `opponent`, `seat`, `illegal_reward`, `max_steps`, `render_mode`, as in `GameEnv`.
    """

    def __init__(self, game: Rules[Any] | str, **settings: Unpack[Settings]) -> None:
        rules = load_game(game)
        if not isinstance(rules, Rules):
            raise not_ours("DiceGameEnv plays Rules games", rules)
        super().__init__(rules, **settings)
        self.rules = rules
        shape = rules.observation(rules.initial(), 0).shape
        self.observation_space = Box(0.0, 1.0, shape, np.float32)

    def observe(self, state: Any, player: int) -> NDArray[np.float32]:
        return self.rules.observation(state.position, player)
