"""The TimeLimits around an environment."""

import gymnasium

from starspiel.envs.gymnasium.cloning.copying import AnyEnv, layers


def time_limit(env: AnyEnv) -> int | None:
    """The actions after which the first of an environment's TimeLimits ends an episode.

    Without one around it, the limit of its registration; None if it has none.
    """
    registered = None if env.spec is None else env.spec.max_episode_steps
    return min((limit._max_episode_steps for limit in _limits(env)), default=registered)


def is_out_of_time(env: AnyEnv) -> bool:
    """Whether one of the TimeLimits around an environment has been reached."""
    return any((limit._elapsed_steps or 0) >= limit._max_episode_steps for limit in _limits(env))


def _limits(env: AnyEnv) -> list[gymnasium.wrappers.TimeLimit]:
    return [layer for layer in layers(env) if isinstance(layer, gymnasium.wrappers.TimeLimit)]
