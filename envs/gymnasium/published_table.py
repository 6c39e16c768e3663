"""The transition table of an environment: its class, and its form outside of wrappers."""

from typing import Any

import gymnasium

from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.gymnasium.table import Table, numbered

#: Wrappers that a function describes completely.
TRANSFORMING = (gymnasium.wrappers.TransformAction, gymnasium.wrappers.TransformReward)


def has_steps_as_published(inside: Any) -> bool:
    """Whether `step` and `reset` come from the class that made the table, or from one above it."""
    kinds = type(inside).__mro__
    maker = next((number for number, kind in enumerate(kinds) if _makes_table(kind)), -1)
    return maker >= 0 and all(
        method not in vars(inside)
        and next(number for number, kind in enumerate(kinds) if method in vars(kind)) >= maker
        for method in ("step", "reset")
    )


def _makes_table(kind: type) -> bool:
    made = getattr(vars(kind).get("__init__"), "__code__", None)
    return "P" in vars(kind) or (made is not None and "P" in made.co_names)


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
            table = {state: _seen(dict(numbered(actions)), wrapper) for state, actions in numbered(table)}
        except Exception as error:  # whatever a user's function raises
            raise StarspielError(
                f"{name}: the function of {type(wrapper).__name__} raised {type(error).__name__}: {error}, "
                "given what the table env.unwrapped.P lists"
            ) from error
    return table


def _seen(actions: dict[int, Any], wrapper: Any) -> dict[int, Any]:
    """A state's actions through a wrapper; one that the table does not list has no rows."""
    if isinstance(wrapper, gymnasium.wrappers.TransformReward):
        return {action: [_paid(row, wrapper) for row in rows] for action, rows in actions.items()}
    space = wrapper.action_space
    offered = range(int(space.start), int(space.start + space.n))
    return {action: actions.get(int(wrapper.action(action)), ()) for action in offered}


def _paid(row: Any, wrapper: Any) -> tuple[Any, ...]:
    chance, after, reward, *rest = row
    paid = wrapper.reward(reward)
    try:
        return chance, after, float(paid), *rest
    except (TypeError, ValueError):
        raise TypeError(f"expected a number as the reward, got {shown(paid)}") from None
