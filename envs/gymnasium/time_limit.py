"""Reads the TimeLimit wrappers around an environment."""

import gymnasium

from starspiel.envs.gymnasium.cloning.copying import AnyEnv, layers


def time_limit(env: AnyEnv) -> int | None:
    """Returns the number of actions after which the lowest of an environment's TimeLimits ends an episode.

    Without a TimeLimit, returns the limit of its registration, or None if there is none.
    """
    registered = None if env.spec is None else env.spec.max_episode_steps
    return min((limit._max_episode_steps for limit in _limits(env)), default=registered)


def is_out_of_time(env: AnyEnv) -> bool:
    """Returns whether one of the TimeLimits around an environment has been reached."""
    return any((limit._elapsed_steps or 0) >= limit._max_episode_steps for limit in _limits(env))


def _limits(env: AnyEnv) -> list[gymnasium.wrappers.TimeLimit]:
    return [layer for layer in layers(env) if isinstance(layer, gymnasium.wrappers.TimeLimit)]
