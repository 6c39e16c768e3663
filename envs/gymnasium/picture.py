"""A table's states as the environment itself draws them: its "ansi" rendering."""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium

from starspiel.envs.gymnasium.sampled.clone import advance

#: Steps of a clone that the drawings are compared on.
_COMPARED = 12


class TablePicture:
    """A function from a state of `env.unwrapped.P` to the environment's text rendering of it, or None.

    None where the environment has no render mode "ansi", where drawing fails, and where drawings do not
    follow from `env.unwrapped.s` alone, so that they could show another state than is meant.

    Args:
        env: an environment with a table, which is cloned at the first drawing, and never changed.
        name: the game's, for errors.
        actions: the actions of a table state.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], name: str, actions: Callable[[int], Sequence[int]]
    ) -> None:
        self._env: Any = env.unwrapped if "ansi" in env.metadata.get("render_modes", ()) else None
        self._name = name
        self._actions = actions
        self._twin: Any = None

    def __call__(self, state: int) -> str | None:
        """The drawing of a table state, without line breaks around it."""
        if self._env is None:
            return None
        try:
            if self._twin is None:
                self._twin = self._compared()
            return self._drawn(self._twin, state).strip("\n")
        except Exception:  # whatever a user's environment raises; it is played all the same
            self._env = self._twin = None
            return None

    def _compared(self) -> Any:
        """A clone to draw with. Raises where it does not draw what clones show that came there by steps."""
        after = advance(self._env, None, 0, self._name)
        shown: list[tuple[int, str]] = []
        for number in range(_COMPARED):
            state = int(after.env.unwrapped.s)  # type: ignore[attr-defined]
            shown.append((state, self._drawn(after.env, state)))
            actions = self._actions(state) if not after.over else ()
            action = actions[number % len(actions)] if actions else None
            after = advance(after.env, action, number, self._name)
        twin = advance(self._env, None, _COMPARED, self._name).env
        if any(self._drawn(twin, state) != drawing for state, drawing in shown):
            raise ValueError("the drawing depends on more than the state of the table")
        return twin

    def _drawn(self, env: Any, state: int) -> str:
        env.render_mode = "ansi"
        env.s = state
        if hasattr(env, "lastaction"):
            env.lastaction = None  # shown, and no part of the state
        drawing = env.render()
        if not isinstance(drawing, str):
            raise TypeError(f"expected text, got {type(drawing).__name__}")
        return drawing

    def __deepcopy__(self, memo: Any) -> "TablePicture":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            _no_picture,
            (),
        )  # An environment may not bear being sent, and who plays elsewhere shows nothing.


def _no_picture() -> Callable[[int], None]:
    return _nothing


def _nothing(state: int) -> None:
    return None
