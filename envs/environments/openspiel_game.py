"""`OpenSpielEnv`: an OpenSpiel game of perfect information as a Gymnasium environment."""

import random
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import pyspiel
from gymnasium.spaces import Box
from numpy.typing import NDArray

from starspiel.envs.environments.game_env import GameEnv, Settings
from starspiel.envs.environments.register import not_ours
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame


class OpenSpielEnv(GameEnv):
    """A game of OpenSpiel, with the seats, rewards and masks of `GameEnv`.

    An observation is the game's flat observation tensor for the agent's player or, in self-play, for the
    player to move; `game.pyspiel_game.observation_tensor_shape()` is its shape. The environment's own
    generator draws chance events, so that a seed repeats a game.

    Args:
        game: a game string such as `backgammon(scoring_type=full_scoring)`, or a `pyspiel.Game`.
        settings: `opponent`, `seat`, `illegal_reward`, `max_steps`, `render_mode`, as in `GameEnv`.
    """

    def __init__(
        self, game: str | pyspiel.Game | OpenSpielGame = "backgammon", **settings: Unpack[Settings]
    ) -> None:
        adapted = load_game(game)
        if not isinstance(adapted, OpenSpielGame):
            raise not_ours("OpenSpielEnv plays OpenSpiel's games", adapted)
        if not adapted.pyspiel_game.get_type().provides_observation_tensor:
            raise UnsupportedGameError(
                f"{adapted.name} has no observation tensor, which is what this environment shows."
            )
        super().__init__(adapted, **settings)
        size = adapted.pyspiel_game.observation_tensor_size()
        # OpenSpiel does not declare the range of a tensor's entries.
        self.observation_space = Box(-np.inf, np.inf, (size,), np.float32)

    def observe(self, state: Any, player: int) -> NDArray[np.float32]:
        return np.asarray(state.observation_tensor(player), np.float32)

    @cached_property
    def text_size(self) -> tuple[int, int]:
        """The maximum columns and rows of text in one random game, at most 160 x 60."""
        draw = random.Random(1)
        state = self.game.new_initial_state()
        columns, rows = 30, 8
        for _ in range(300):
            lines = str(state).splitlines()
            columns, rows = max(columns, *map(len, lines)), max(rows, len(lines) + 2)
            if state.is_terminal():
                break
            state.apply_action(draw.choice(state.legal_actions()))
        return min(columns, 160), min(rows, 60)
