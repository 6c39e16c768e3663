"""Draws an environment's states by its "ansi" rendering."""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium

from starspiel.envs.gymnasium.aec import AECTurns
from starspiel.envs.gymnasium.cloning.clone import advance, clone
from starspiel.envs.gymnasium.sampled.states import EnvState

#: The number of steps of a clone on which drawings are compared.
_COMPARED = 12


def picture_of(state: EnvState) -> str | None:
    """Returns the rendering of a clone, for people only: it may show hidden state.

    Returns None if the environment has no render mode "ansi", or if drawing fails.
    """
    if not _draws_text(_inside(state.env)):
        return None
    try:
        inside = _inside(clone(state.env, 0, state.game.name))
        inside.render_mode = "ansi"
        return _text(inside.render()).strip("\n")
    except Exception:  # a user's environment may raise anything; it can be played without a drawing
        return None


def _inside(env: gymnasium.Env[Any, Any]) -> Any:
    """Returns the environment inside all wrappers, including PettingZoo's own."""
    inside: Any = env.unwrapped
    return inside.aec.unwrapped if isinstance(inside, AECTurns) else inside


def _draws_text(inside: Any) -> bool:
    return "ansi" in (getattr(inside, "metadata", None) or {}).get("render_modes", ())


def _text(drawing: Any) -> str:
    if not isinstance(drawing, str):
        raise TypeError(f"expected text, got {type(drawing).__name__}")
    return drawing


class TablePicture:
    """A function from a state of `env.unwrapped.P` to the environment's text rendering of it, or None.

    It returns None if the environment has no render mode "ansi", if drawing fails, or if drawings do not
    depend on `env.unwrapped.s` alone, because they could then show the wrong state.

    Args:
        env: an environment with a table. It is cloned at the first drawing, and never changed.
        name: the game's name, for errors.
        actions: a function that returns the actions of a table state.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], name: str, actions: Callable[[int], Sequence[int]]
    ) -> None:
        self._env: Any = env.unwrapped if _draws_text(env) else None
        self._name = name
        self._actions = actions
        self._duplicate: Any = None

    def __call__(self, state: int) -> str | None:
        """Returns the drawing of a table state, without line breaks around it."""
        if self._env is None:
            return None
        try:
            if self._duplicate is None:
                self._duplicate = self._compared()
            return self._drawn(self._duplicate, state).strip("\n")
        except Exception:  # a user's environment may raise anything; it can be played without a drawing
            self._env = self._duplicate = None
            return None

    def _compared(self) -> Any:
        """Returns a clone to draw with. Raises if its drawings differ from those of clones after steps."""
        after = advance(self._env, None, 0, self._name)
        shown: list[tuple[int, str]] = []
        for number in range(_COMPARED):
            state = int(after.env.unwrapped.s)  # type: ignore[attr-defined]
            shown.append((state, self._drawn(after.env, state)))
            actions = self._actions(state) if not after.over else ()
            action = actions[number % len(actions)] if actions else None
            after = advance(after.env, action, number, self._name)
        duplicate = advance(self._env, None, _COMPARED, self._name).env
        if any(self._drawn(duplicate, state) != drawing for state, drawing in shown):
            raise ValueError("the drawing depends on more than the state of the table")
        return duplicate

    def _drawn(self, env: Any, state: int) -> str:
        env.render_mode = "ansi"
        env.s = state
        if hasattr(env, "lastaction"):
            env.lastaction = None  # it is drawn, but is not part of the state
        return _text(env.render())

    def __deepcopy__(self, memo: Any) -> "TablePicture":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()  # environments may not be picklable, and other processes draw nothing
