"""Checks that `reset` and `step` of an environment return what Gymnasium's contract says."""

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from starspiel.envs.errors import UnsupportedGameError, shown

_OLD_STEP = (
    "as environments of old gym do. If the class is not yours, wrap it: class "
    "FiveValues(gymnasium.Wrapper), whose step(self, action) does "
    "observation, reward, done, info = self.env.step(action) and returns "
    "observation, reward, done, False, info"
)
_OLD_RESET = (
    "If the class is not yours, wrap it: class WithInfo(gymnasium.Wrapper), whose "
    "reset(self, *, seed=None, options=None) does return self.env.reset(seed=seed, options=options), {}"
)


def read_reset(result: Any, name: str) -> tuple[Any, dict[str, Any]]:
    """Returns (observation, info). Raises `UnsupportedGameError` if `reset` returned something else."""
    if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], dict):
        _refuse(
            name,
            None,
            f"expected (observation, info), info a dictionary, got {shown(result)}",
            _OLD_RESET,
        )
    if result[0] is None:
        _refuse(name, None, "expected an observation, got None", "return what the agent sees at the start")
    return result


def read_step(result: Any, stepped: Callable[[], Any], name: str) -> tuple[Any, float, bool, dict[str, Any]]:
    """Returns (observation, reward, whether it is over, info) of a step; `stepped` returns its action.

    Raises `UnsupportedGameError` if `step` returned something else, or a reward that is not finite.
    """
    if not isinstance(result, tuple) or len(result) != 5:
        expected = "expected (observation, reward, terminated, truncated, info), got"
        if isinstance(result, tuple) and len(result) == 4:
            _refuse(name, stepped, f"{expected} four values", _OLD_STEP)
        _refuse(name, stepped, f"{expected} {shown(result)}", "return these five")
    observation, reward, terminated, truncated, info = result
    if observation is None:
        _refuse(
            name, stepped, "expected an observation, got None", "return what the agent sees, at the end too"
        )
    if not isinstance(info, dict):
        _refuse(
            name,
            stepped,
            f"expected info to be a dictionary, got {shown(info)}",
            "return {} if there is none",
        )
    return observation, _number(reward, stepped, name), bool(terminated or truncated), info


#: What to do about a reward with several parts.
_SEVERAL = (
    "if these are the rewards of several players, return that of the player who made the step, and declare "
    "the players (players=2, to_play=...); if they are several aims of one player, weigh them, e.g. "
    "gymnasium.wrappers.TransformReward(env, lambda reward: float(reward[0] + 0.5 * reward[1]))"
)


def _number(reward: Any, stepped: Callable[[], Any], name: str) -> float:
    if isinstance(reward, np.ndarray) and reward.shape != ():
        cure = (
            "gymnasium.wrappers.TransformReward(env, lambda reward: float(reward[0]))"
            if reward.shape == (1,)
            else _SEVERAL
        )
        _refuse(
            name, stepped, f"expected one number as the reward, got an array of shape {reward.shape}", cure
        )
    if not isinstance(reward, Real | np.ndarray | np.bool_):
        cure = _SEVERAL if isinstance(reward, list | tuple | dict) else "return a float"
        if isinstance(reward, str):
            cure += ", or wrap it: gymnasium.wrappers.TransformReward(env, float)"
        _refuse(name, stepped, f"expected a number as the reward, got {shown(reward)}", cure)
    number = float(reward)
    if not math.isfinite(number):
        _refuse(
            name,
            stepped,
            f"expected a finite reward, got {number}",
            "find out why, because searches cannot use it. If that step has failed, end the episode there, "
            "with a reward as low as failing deserves: a wrapper's step(self, action) may return "
            "observation, -100.0, True, False, info if not math.isfinite(reward)",
        )
    return number


def _refuse(name: str, stepped: Callable[[], Any] | None, what: str, cure: str) -> NoReturn:
    where = "reset()" if stepped is None else f"step({shown(stepped())})"
    raise UnsupportedGameError(f"{name}: {where}: {what}. What to do: {cure}")
