"""Detects a loop that steps an environment other than its agent's."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.base import Game
from starspiel.envs.environments.game_env import GameEnv
from starspiel.envs.errors import StarspielError
from starspiel.envs.errors import shown as as_text
from starspiel.envs.gymnasium.aec import AECTurns
from starspiel.envs.gymnasium.cloning.clone import advance
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.sampled.visible import as_key
from starspiel.envs.gymnasium.table import TableGame


def check_same(env: gymnasium.Env[Any, Any], game: Game, observation: Any) -> None:
    """Raises StarspielError if `observation` is not the current one of the environment.

    Tables, starspiel's own environments and PettingZoo's tell their current observation. Other environments,
    and an `observation` of None, are not checked.
    """
    is_sampled = isinstance(game, SampledGame) and not isinstance(env, AECTurns)
    shown = None if observation is None or is_sampled else _observation(env, game)
    if shown is not None and not _equal(shown, observation):
        raise StarspielError(
            f"{game.name}: the agent's environment shows {as_text(shown)}, and act was given "
            f"{as_text(observation)}, so another environment is being stepped. Reset and step the one that "
            "the agent was made for, agent.env"
        )


def _equal(shown: Any, observation: Any) -> bool:
    if isinstance(shown, Mapping):
        return as_key(shown) == as_key(observation)
    return np.array_equal(shown, observation)


def _observation(env: gymnasium.Env[Any, Any], game: Game) -> Any:
    """Returns an environment's current observation; None if it cannot tell."""
    inside: Any = env.unwrapped
    if isinstance(inside, AECTurns):
        return inside.look()[0]
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, gymnasium.ObservationWrapper):
            return None
        env = env.env
    if isinstance(inside, GameEnv):
        return inside.shown()
    space = getattr(env, "observation_space", None)
    is_state = isinstance(game, TableGame) and isinstance(space, gymnasium.spaces.Discrete)
    return int(inside.s) if is_state else None


def is_waiting_for_reset(env: gymnasium.Env[Any, Any], game: Game) -> bool:
    """Returns whether an environment has not been reset: attributes that `reset` sets are missing or None."""
    if not isinstance(game, SampledGame):
        return False
    before, held = vars(game.env.unwrapped), vars(env.unwrapped)
    given = vars(advance(game.env, None, 0, game.name).env.unwrapped)
    by_reset = {name for name in given if given[name] is not None and before.get(name) is None} - _DICE
    return any(held.get(name) is None for name in by_reset)


_DICE = {"_np_random", "_np_random_seed"}
