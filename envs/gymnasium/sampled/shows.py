"""What a clone of an environment shows, where it can be asked between two steps."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from starspiel.envs.errors import StarspielError
from starspiel.envs.gymnasium.sampled.clone import After, AnyEnv, clone, take_step
from starspiel.envs.gymnasium.sampled.copying import layers
from starspiel.envs.gymnasium.sampled.global_dice import lent
from starspiel.envs.gymnasium.sampled.situations import Budget
from starspiel.envs.gymnasium.sampled.visible import View, as_key

#: Methods and attributes that often hold the observation.
_NAMES = ("_get_obs", "_get_observation", "get_obs", "get_observation", "_observation", "_obs", "observation")
_ATTRIBUTES = ("_last_obs", "last_obs", "last_observation", "_last_observation", "obs", "_state", "state")
#: Episodes and steps in which a name must hold it, how many must look different, and processor seconds.
_EPISODES, _STEPS, _DIFFERENT, _SECONDS = 6, 8, 5, 0.25


class Shows:
    """Finds out by which name an environment tells its observation again, if it does.

    A name counts if it held the observation after every reset and step of a few episodes.
    """

    def __init__(self, env: AnyEnv, view: View) -> None:
        found: set[str] = set()
        looks: list[Any] = []
        budget = Budget(_SECONDS)
        for seed in range(_EPISODES):
            for at in _episode(env, view, seed):
                if budget.spent() and looks:
                    break
                here = {n for n in (*_NAMES, *_ATTRIBUTES) if is_same_look(_told(at.env, n), at.observation)}
                found = found & here if looks else here
                looks.append(at.observation)
        different = any(
            sum(not is_same_look(look, other) for other in looks) >= _DIFFERENT for look in looks[:1]
        )
        self._name = next((n for n in (*_NAMES, *_ATTRIBUTES) if n in found), None) if different else None

    def of(self, twin: AnyEnv) -> Any:
        """What a clone shows; None if that is not known. The clone is good for nothing else afterwards."""
        return None if self._name is None else _told(twin, self._name)


def is_same_look(told: Any, observation: Any) -> bool:
    """Whether two observations are equal, as numbers of the second one's type."""
    if told is None or observation is None:
        return False
    try:
        expected = np.asarray(observation)
        if expected.dtype.hasobject:
            return as_key(told) == as_key(observation)
        got = np.asarray(told)
        return got.shape == expected.shape and np.array_equal(got.astype(expected.dtype), expected)
    except (TypeError, ValueError):
        return False


def _told(env: AnyEnv, name: str) -> Any:
    """What the outermost layer with an attribute or method of that name says by it."""
    for layer in layers(env):
        if name in vars(layer) or hasattr(type(layer), name):
            held = getattr(layer, name)
            try:
                with lent(0):
                    return held() if callable(held) else held
            except Exception:  # whatever a user's method raises, or if it wants arguments
                return None
    return None


def _episode(env: AnyEnv, view: View, seed: int) -> Iterator[After]:
    """A random episode of a clone, stepped in place."""
    draw = random.Random(seed)
    try:
        twin = clone(env, seed, view.name)
        with lent(seed):
            at = take_step(twin, None, seed, view.name)
        yield at
        for _ in range(_STEPS):
            if at.over:
                return
            with lent(draw.getrandbits(62)):
                at = take_step(twin, draw.choice(view.legal_actions(at)), 0, view.name)
            if not at.over:  # what is shown at the end is never acted upon
                yield at
    except StarspielError:  # what cannot be stepped says so to whoever plays it
        return
