"""Refuses objects that cannot be loaded as an environment, with the remedy."""

import inspect
from typing import Any, NoReturn

import gymnasium
from gymnasium import spaces

from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown

#: The maximum number of actions. At 0.1 ms per clone, one ply of so many takes ten seconds.
MOST_ACTIONS = 100_000

_LISTED = (
    "List those worth trying, for a start some at random: choices = [env.action_space.sample() for _ in "
    "range(9)], and number them: gymnasium.wrappers.TransformAction(env, lambda n: choices[n], "
    "gymnasium.spaces.Discrete(len(choices)))"
)
_LISTED_AEC = (
    "Wrap it in an environment whose action spaces are Discrete and whose step takes their numbers, such as "
    "supersuit.action_lambda_v1"
)
_MODERNIZE = (
    "wrap it in a gymnasium.Env whose reset(self, *, seed=None, options=None) returns (old.reset(), {}) and "
    "whose step(self, action) returns (observation, reward, done, False, info) of old.step(action)"
)


def refuse_other(given: Any) -> None:
    """Raises an error for known kinds of objects that are given in place of an environment."""
    if isinstance(given, type) and issubclass(given, gymnasium.Env):
        raise StarspielError(
            f"expected an environment, got the class {given.__name__}; create an instance: {given.__name__}()"
        )
    if inspect.isroutine(given):
        name = getattr(given, "__name__", "it")
        raise StarspielError(f"expected an environment, got the function {name}; call it: {name}()")
    if isinstance(given, gymnasium.vector.VectorEnv):
        raise UnsupportedGameError(
            f"{type(given).__name__} is {given.num_envs} environments side by side; an agent searches one: "
            "gymnasium.make(...) instead of gymnasium.make_vec(...)"
        )
    modules = {cls.__module__ for cls in type(given).__mro__}
    if "shimmy.openspiel_compatibility" in modules:
        raise UnsupportedGameError(_openspiel(given))
    if any(module.partition(".")[0] == "gym" for module in modules):
        raise UnsupportedGameError(
            f"{type(given).__name__} is an environment of old gym, not of Gymnasium. Take its successor "
            f"for Gymnasium if there is one, or {_MODERNIZE}"
        )


def refuse_compatibility(env: gymnasium.Env[Any, Any], name: str) -> None:
    """Refuses Shimmy's wrappers of old gym, which forward all attributes and therefore cannot be copied."""
    inside: Any = env.unwrapped
    if type(inside).__module__ == "shimmy.openai_gym_compatibility":
        raise UnsupportedGameError(
            f"{name} is Shimmy's {type(inside).__name__}, of which copy.deepcopy makes no working copy. "
            f"If `old` is the environment inside it (gym_env), {_MODERNIZE}"
        )


def check_actions(env: gymnasium.Env[Any, Any], name: str) -> None:
    """Refuses action spaces that are not finite, or that have more than `MOST_ACTIONS` actions."""
    space: Any = env.action_space
    if not isinstance(space, spaces.Discrete):
        cure = _LISTED if isinstance(env, gymnasium.Wrapper) or not hasattr(env, "aec") else _LISTED_AEC
        raise UnsupportedGameError(
            f"{name} has the action space {shown(space)}; search needs finitely many actions. {cure}"
        )
    if space.n > MOST_ACTIONS:
        raise UnsupportedGameError(
            f"{name} has {space.n:,} actions; search tries each of them, and takes up to {MOST_ACTIONS:,}. "
            f"{_LISTED}"
        )


def explain_reset(env: gymnasium.Env[Any, Any], name: str, error: Exception) -> NoReturn:
    """Raises an error about `reset(seed=...)`; it names the signature if that is what is wrong."""
    inside = env.unwrapped
    what = f"{name}: reset(seed=...) raised {type(error).__name__}: {error}"
    if not isinstance(error, TypeError):
        raise UnsupportedGameError(f"{what}. What to do: mend that first") from error
    taken = inspect.signature(inside.reset).parameters
    if "seed" not in taken and not any(part.kind is part.VAR_KEYWORD for part in taken.values()):
        raise UnsupportedGameError(
            f"{name}: reset() takes no seed; expected reset(self, *, seed=None, options=None), with "
            "super().reset(seed=seed) in it. If the class is not yours, wrap it: class "
            "Seeded(gymnasium.Wrapper), whose reset(self, *, seed=None, options=None) does "
            "return self.env.reset()"
        ) from error
    if "options" in taken and taken["options"].default is inspect.Parameter.empty:
        raise UnsupportedGameError(
            f"{name}: reset() needs options; expected reset(self, *, seed=None, options=None). If the "
            "class is not yours, gymnasium.Wrapper(env) gives it both"
        ) from error
    raise UnsupportedGameError(
        f"{what}. Expected reset(self, *, seed=None, options=None) in every layer of {shown(env)}"
    ) from error


def _openspiel(given: Any) -> str:
    game = getattr(given, "_env", None)
    return (
        f"{type(given).__name__} is Shimmy's wrapper of an OpenSpiel game; load the game itself by its name, "
        f'starspiel.load_game("{game if game is not None else "..."}"), which keeps its chances'
    )
