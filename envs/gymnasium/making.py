"""Makes Gymnasium environments from game strings, and game strings from environments."""

import re
from typing import Any

import gymnasium
import gymnasium.error
import pyspiel

from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.gymnasium.options import IN_STRINGS, EnvOptions
from starspiel.envs.gymnasium.time_limit import time_limit
from starspiel.envs.modules import allow_working_directory
from starspiel.envs.spec import read_exponent, read_parameters

_ID = re.compile(r"^(?:[\w.]+:)?(?:[\w:.-]+/)?[\w:.-]+-v\d+$")


def is_gymnasium_id(spec: str) -> bool:
    """Returns whether a game string is `[namespace/]Name-v1`, with or without parameters."""
    return _ID.match(spec.partition("(")[0]) is not None


def make_env(spec: str) -> tuple[gymnasium.Env[Any, Any], dict[str, Any]]:
    """Makes the environment of an id with parameters; returns it and those parameters that are `EnvOptions`.

    Raises StarspielError if Gymnasium cannot make it.
    """
    parameters = read_parameters(spec)
    env_id = parameters.pop("name")
    for key, value in parameters.items():
        if isinstance(value, dict):  # game=pig(winscore=20)
            parameters[key] = pyspiel.game_parameters_to_string(value)
        else:
            parameters[key] = read_exponent(value)
    declared = {key: parameters.pop(key) for key in IN_STRINGS if key in parameters}
    if ":" in env_id:
        allow_working_directory()
    try:
        env: gymnasium.Env[Any, Any] = gymnasium.make(env_id, **parameters)
    except (gymnasium.error.Error, TypeError, KeyError, ModuleNotFoundError) as error:
        unknown = isinstance(error, gymnasium.error.NameNotFound | gymnasium.error.NamespaceNotFound)
        hint = f" If a module registers it, name that, too: my_module:{env_id}" if unknown else ""
        raise StarspielError(
            f"gymnasium cannot make {shown(spec)}: {type(error).__name__}: {error}{hint}"
        ) from None
    return env, declared


def name_of(env: gymnasium.Env[Any, Any], options: EnvOptions) -> str:
    """Returns the game string of an environment, with the parameters that a string can express."""
    spec = env.spec
    if spec is None:
        return type(env.unwrapped).__name__
    registered = gymnasium.registry.get(spec.id)
    defaults = registered.kwargs if registered else {}
    parameters = {k: v for k, v in spec.kwargs.items() if k != "render_mode" and defaults.get(k) != v}
    if registered and (limit := time_limit(env)) != registered.max_episode_steps:
        parameters["max_episode_steps"] = -1 if limit is None else limit
    parameters |= options.in_string()
    if not parameters:
        return spec.id
    return f"{spec.id}({','.join(f'{k}={v}' for k, v in sorted(parameters.items()))})"
