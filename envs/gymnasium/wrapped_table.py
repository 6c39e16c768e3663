"""The table of an environment inside wrappers that transform its rewards and actions."""

from collections.abc import Mapping
from typing import Any

import gymnasium
from gymnasium import spaces

from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.gymnasium.table import Table, numbered

#: Wrappers whose function says all that they do.
TRANSFORMING = (gymnasium.wrappers.TransformAction, gymnasium.wrappers.TransformReward)


def wrapped_table(env: gymnasium.Env[Any, Any], table: Table, name: str) -> Table:
    """`P` of the innermost environment as seen from outside of the wrappers, those in `TRANSFORMING` applied.

    Raises StarspielError if a wrapper's function does not take the table's actions or rewards.
    """
    if not isinstance(env, gymnasium.Wrapper):
        return table
    inner = wrapped_table(env.env, table, name)
    try:
        if isinstance(env, gymnasium.wrappers.TransformReward):
            return {state: _paid(actions, env) for state, actions in numbered(inner)}
        if isinstance(env, gymnasium.wrappers.TransformAction):
            return {state: _renamed(actions, env) for state, actions in numbered(inner)}
    except Exception as error:  # whatever a user's function raises
        if isinstance(error, StarspielError):
            raise
        raise StarspielError(
            f"{name}: the function of {type(env).__name__} raised {type(error).__name__}: {error}, given "
            "what the table env.unwrapped.P lists"
        ) from error
    return inner


def _paid(actions: Any, env: Any) -> dict[int, Any]:
    return {
        action: [(chance, after, _number(env.reward(reward)), *rest) for chance, after, reward, *rest in rows]
        for action, rows in numbered(actions)
    }


def _number(reward: Any) -> float:
    """The reward that a function returned. Raises TypeError if it is no number."""
    try:
        return float(reward)
    except (TypeError, ValueError):
        raise TypeError(f"expected a number as the reward, got {shown(reward)}") from None


def _renamed(actions: Any, env: Any) -> dict[int, Any]:
    """The rows of each action of the wrapper; of one that the table does not list, none."""
    space: spaces.Discrete = env.action_space
    listed: Mapping[int, Any] = dict(numbered(actions))
    offered = range(int(space.start), int(space.start + space.n))
    return {action: listed.get(int(env.action(action)), ()) for action in offered}
