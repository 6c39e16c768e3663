"""Clones of a Gymnasium environment that go their own way: copied, seeded afresh, stepped.

The generators of a clone, wherever it keeps them, are seeded before every step it takes, so that it meets
other dice than the ones the environment itself is going to throw; and it shares none with the environment, so
that no clone changes those.
"""

import copy
import io
import itertools
import operator
import pickle
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gymnasium
import gymnasium.error
import numpy as np

from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.sampled.generators import GENERATORS, Reach, reseed

AnyEnv = gymnasium.Env[Any, Any]

# What only watches an environment; a clone goes without.
_OBSERVING_WRAPPERS = (
    gymnasium.wrappers.HumanRendering,
    gymnasium.wrappers.PassiveEnvChecker,
    gymnasium.wrappers.RecordEpisodeStatistics,
    gymnasium.wrappers.RecordVideo,
    gymnasium.wrappers.RenderCollection,
)


@dataclass(frozen=True)
class After:
    """What a clone is like after a step or `reset`, with what that returned."""

    env: AnyEnv
    observation: Any
    reward: float
    over: bool
    info: dict[str, Any]


def advance(env: AnyEnv, action: int | None, seed: int, name: str) -> After:
    """A clone of `env` after `action`, or after `reset` where that is None; `seed` alone decides its dice."""
    twin, shared = _cloned(env, seed, name)
    with global_generators(seed):
        if action is None:
            observation, info = twin.reset(seed=seed % 2**32)
            return After(twin, observation, 0.0, False, info)
        try:
            observation, reward, terminated, truncated, info = twin.step(action)
        except gymnasium.error.ResetNeeded:
            raise StarspielError(f"{name}: the environment has not been reset; call env.reset()") from None
    for iterator, before, where in shared:
        if _position(iterator) != before:
            raise _changes_dice(name, where, iterator)
    return After(twin, observation, float(reward), bool(terminated or truncated), info)


def clone(env: AnyEnv, seed: int, name: str) -> AnyEnv:
    """A deep copy of an environment whose random generators, all of them, are seeded from `seed`.

    Raises `UnsupportedGameError` where the environment cannot be copied, or where the copy holds a generator
    that is the environment's own: a search would change the dice of the game that is played. So it would with
    an iterator that steps advance; one whose position nobody can read (a generator) is refused too.
    """
    return _cloned(env, seed, name)[0]


def _cloned(env: AnyEnv, seed: int, name: str) -> tuple[AnyEnv, list[tuple[Iterator[Any], Any, str]]]:
    """A clone, and the iterators it shares with the environment: each with its position and where it is."""
    while isinstance(env, _OBSERVING_WRAPPERS):
        env = env.env
    # What is never written to, a table and the specification, clones share.
    shared = [part for part in (getattr(env.unwrapped, "P", None), env.unwrapped.spec) if part is not None]
    copies: dict[int, Any] = {id(part): part for part in shared}
    try:
        twin = copy.deepcopy(env, copies)
    except Exception as error:
        raise UnsupportedGameError(
            f"{name} publishes no rules or table, and it cannot be cloned for sampling: copy.deepcopy raised "
            f"{type(error).__name__}: {error}. Make it with render_mode=None, or give it a __deepcopy__"
        ) from None
    layer = twin
    while isinstance(layer, gymnasium.Wrapper):
        while isinstance(layer.env, _OBSERVING_WRAPPERS):
            layer.env = layer.env.env
        layer = layer.env
    inside = twin.unwrapped
    for space in ("action_space", "observation_space"):
        if space not in vars(inside) and hasattr(inside, space):
            # One of the class would be shared, generator and all.
            setattr(inside, space, copy.deepcopy(getattr(inside, space), copies))
    # Generators that a compiled part keeps are not reached, but deepcopy has noted what it copied.
    copied = {id(made): made for made in copies.values() if isinstance(made, GENERATORS)}
    reached = Reach(twin, "env", without=shared)
    own = {id(held): held for held in reached if _matters(held)}
    not_noted = [held for key, held in own.items() if key not in copied]
    iterators = []
    if not_noted:
        original = Reach(env, "env", without=shared)
        for held in not_noted:
            if held in original:
                position = None if isinstance(held, GENERATORS) else _position(held)
                where = reached.path(held)
                if position is None:
                    raise _changes_dice(name, where, held)
                iterators.append((held, position, where))
    streams = np.random.SeedSequence(seed)
    for held in (copied | own).values():
        if isinstance(held, GENERATORS):
            reseed(held, streams)
    # These make their generator on first use, from the operating system's entropy.
    for held in reached:
        lazy = isinstance(held, gymnasium.Env | gymnasium.Space) and not isinstance(held, gymnasium.Wrapper)
        if lazy and getattr(held, "_np_random", None) is None:
            held._np_random = np.random.default_rng(streams.spawn(1)[0])
    return twin, iterators


def _matters(held: Any) -> bool:
    """Whether dice may come out of it; files are iterators, and none come out of those."""
    return isinstance(held, (*GENERATORS, Iterator)) and not isinstance(held, io.IOBase)


def _position(iterator: Iterator[Any]) -> Any:
    """What changes when an iterator is advanced; None where that cannot be seen."""
    left = operator.length_hint(iterator, -1)
    if left >= 0:
        return left
    if isinstance(iterator, itertools.count):
        return repr(iterator)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python is giving up pickling its own
            return pickle.dumps(iterator)
    except Exception:  # whatever a user's own iterator raises
        return None


def _changes_dice(name: str, where: str, held: Any) -> UnsupportedGameError:
    return UnsupportedGameError(
        f"{name} cannot be sampled: {where} is a {type(held).__name__} that the environment and its clones "
        "share, so a search would change the real dice. Keep it in an attribute that copy.deepcopy copies "
        "(not in a function, a class or a module), or draw from self.np_random"
    )


@contextmanager
def global_generators(seed: int) -> Iterator[None]:
    """Seeds `random` and `numpy.random` for one step, then puts them back as they were."""
    python, legacy = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(legacy)
