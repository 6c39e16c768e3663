"""Detects by replaying a step whether an environment's episode is over."""

import pickle
from contextlib import suppress
from typing import Any

import gymnasium

from starspiel.envs.gymnasium.cloning.copying import OBSERVING_WRAPPERS, copy_layers, shared_by_right
from starspiel.envs.gymnasium.cloning.dice import put_back, saved

AnyEnv = gymnasium.Env[Any, Any]

#: Attributes that no step changes.
FIXED = ("spec", "action_space", "observation_space", "metadata", "_action_space", "_observation_space")


class Ending:
    """Replays the step of the action chosen last, with the environment's own dice, once it has been taken.

    If the environment is then, to the last bit, what the replay has made of a copy, and the replay has ended
    the episode, that is over. A step that changes nothing, or leads to what `reset` makes, tells nothing.
    """

    def __init__(self) -> None:
        self._before: tuple[AnyEnv, Any, Any, bytes] | None = None

    def note(self, env: AnyEnv, action: Any) -> None:
        """Keeps a copy of the environment, with its dice, as it is before `action`."""
        self._before = None
        contents = contents_of(env, OBSERVING_WRAPPERS)
        if contents is None or getattr(env, "render_mode", None) == "human":
            return
        with suppress(Exception):  # whatever a user's own copying raises
            duplicate = copy_layers(env, {id(part): part for part in shared_by_right(env)})
            self._before = duplicate, action, saved(), contents

    def is_over(self, env: AnyEnv) -> bool:
        """Whether the action that was noted has ended the episode that `env` is in."""
        if self._before is None:
            return False
        duplicate, action, dice, before = self._before
        now = contents_of(env, OBSERVING_WRAPPERS)
        if now is None or now == before:
            return False
        self._before, kept = None, saved()
        try:
            put_back(dice)
            return self._ends(duplicate, action, now)
        except Exception:  # whatever a user's step raises
            return False
        finally:
            put_back(kept)

    def _ends(self, duplicate: AnyEnv, action: Any, now: bytes) -> bool:
        _, _, terminated, truncated, _ = duplicate.step(action)
        if not (terminated or truncated) or contents_of(duplicate, OBSERVING_WRAPPERS) != now:
            return False
        for seed in (None, getattr(duplicate.unwrapped, "_np_random_seed", None)):
            duplicate.reset(seed=seed)
            if contents_of(duplicate, OBSERVING_WRAPPERS) == now:
                return False
        return True


def contents_of(env: AnyEnv, without: tuple[type, ...] = ()) -> bytes | None:
    """The pickled contents of an environment and its wrappers; None if some cannot be pickled."""
    layers = []
    while isinstance(env, gymnasium.Wrapper):
        if not isinstance(env, without):
            layers.append({name: held for name, held in vars(env).items() if name != "env"})
        env = env.env
    layers.append(vars(env))
    try:
        return pickle.dumps([{k: v for k, v in layer.items() if k not in FIXED} for layer in layers])
    except Exception:  # whatever a user's object raises
        return None
