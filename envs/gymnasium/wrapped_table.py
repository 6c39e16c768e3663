"""The table of an environment inside wrappers that transform its rewards and actions."""

from typing import Any

import gymnasium

from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.gymnasium.table import Table, numbered

#: Wrappers whose function says all that they do.
TRANSFORMING = (gymnasium.wrappers.TransformAction, gymnasium.wrappers.TransformReward)


def wrapped_table(env: Any, table: Table, name: str) -> Table:
    """`P` of the innermost environment as seen from outside of the wrappers, those in `TRANSFORMING` applied.

    Raises StarspielError if a wrapper's function does not take the table's actions or rewards.
    """
    around: list[Any] = []
    while isinstance(env, gymnasium.Wrapper):
        around += [env] if isinstance(env, TRANSFORMING) else []
        env = env.env
    for wrapper in reversed(around):
        try:
            if isinstance(wrapper, gymnasium.wrappers.TransformReward):
                table = {
                    state: {
                        action: [_paid(row, wrapper) for row in rows] for action, rows in numbered(actions)
                    }
                    for state, actions in numbered(table)
                }
            else:  # an action that the table does not list has no rows
                first, count = int(wrapper.action_space.start), int(wrapper.action_space.n)
                table = {
                    state: {
                        a: dict(numbered(actions)).get(int(wrapper.action(a)), ())
                        for a in range(first, first + count)
                    }
                    for state, actions in numbered(table)
                }
        except Exception as error:  # whatever a user's function raises
            raise StarspielError(
                f"{name}: the function of {type(wrapper).__name__} raised {type(error).__name__}: {error}, given "
                "what the table env.unwrapped.P lists"
            ) from error
    return table


def _paid(row: Any, wrapper: Any) -> tuple[Any, ...]:
    chance, after, reward, *rest = row
    paid = wrapper.reward(reward)
    try:
        return chance, after, float(paid), *rest
    except (TypeError, ValueError):
        raise TypeError(f"expected a number as the reward, got {shown(paid)}") from None
