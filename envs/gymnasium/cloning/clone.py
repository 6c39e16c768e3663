"""Clones of a Gymnasium environment: copies it, reseeds the copy and steps it.

All generators of a clone are seeded before each of its steps, so that its dice differ from those that the
environment itself is going to throw.
"""

import copy
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import _lru_cache_wrapper, cache, partial
from inspect import getattr_static
from types import MethodType, ModuleType
from typing import Any, NoReturn

import gymnasium
import gymnasium.error
import numpy as np
from gymnasium import spaces

from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.gymnasium.cloning.copying import (
    AnyEnv,
    copies_itself,
    copy_layers,
    layers,
    not_copied,
    restores_itself,
    shared_by_right,
)
from starspiel.envs.gymnasium.cloning.dice import GENERATORS, SeededLater, generators, lent, reseed
from starspiel.envs.gymnasium.cloning.outcome import read_reset, read_step
from starspiel.envs.gymnasium.cloning.screens import draw_nothing, make_copyable
from starspiel.envs.gymnasium.numbering import as_stepped
from starspiel.envs.gymnasium.refusals import explain_reset

#: Attributes that copy.deepcopy refuses, and that clones may share with the environment.
_SHARED = {ModuleType, type(threading.Lock()), type(threading.RLock())}
_FLAT = {spaces.Box, spaces.Discrete, spaces.MultiBinary, spaces.MultiDiscrete}
#: The first part of generators' seed keys: for an environment's layers, for spaces, and for others.
_LAYERS, _SPACES, _OTHERS = range(3)


@dataclass(frozen=True)
class After:
    """A clone after a step or `reset`, with the values that it returned."""

    env: AnyEnv
    observation: Any
    reward: float
    over: bool
    info: dict[str, Any]


def advance(env: AnyEnv, action: int | None, seed: int, name: str) -> After:
    """Returns a clone of `env` after `action`, or after `reset` if it is None.

    Its dice depend only on `seed`.
    """
    duplicate = clone(env, seed, name)
    with lent(seed):
        return take_step(duplicate, action, seed, name)


def take_step(env: AnyEnv, action: int | None, seed: int, name: str) -> After:
    """Steps `env` itself by `action`, or resets it with the seed modulo 2^32 if `action` is None.

    Raises `StarspielError` if the environment raises or returns invalid values.
    """
    try:
        result: Any = env.reset(seed=seed % 2**32) if action is None else env.step(action)
    except StarspielError:
        raise
    except gymnasium.error.ResetNeeded:
        raise StarspielError(f"{name}: the environment has not been reset; call env.reset()") from None
    except Exception as error:
        if action is None:
            explain_reset(env, name, error)
        _explain_step(env, as_stepped(env, action), name, error)
    if action is None:
        (observation, info), reward, over = read_reset(result, name), 0.0, False
    else:
        observation, reward, over, info = read_step(result, partial(as_stepped, env, action), name)
    return After(env, observation, reward, over, info)


def clone(env: AnyEnv, seed: int, name: str, shared: Sequence[Any] = ()) -> AnyEnv:
    """Returns a deep copy of an environment with all random generators seeded from `seed`.

    It has the objects of `shared` themselves, and shows nothing in a window. Raises `UnsupportedGameError` if
    the environment cannot be copied, or its copy shares a generator.
    """
    make_copyable()
    memo = {id(part): part for part in (*shared_by_right(env), *shared)}
    for number, layer in enumerate(_inner(env)):  # new ones, which take a fifth of the time of copies
        held = getattr(layer, "_np_random", None)
        if type(held) is np.random.Generator and type(held.bit_generator) is np.random.PCG64:
            memo[id(held)] = np.random.Generator(np.random.PCG64(_stream(seed, _LAYERS, number)))
    flat: list[Any] = []
    for layer in layers(env):
        for held in getattr(layer, "__dict__", {}).values():
            if type(held) in _SHARED:
                memo[id(held)] = held
            elif type(held) in _FLAT and id(held) not in memo:
                flat.append(_flat_copy(held))
                memo[id(held)] = flat[-1]
    known = {*memo, id(memo)}  # by its own id, deepcopy keeps the originals alive
    try:
        duplicate = copy_layers(env, memo)
    except Exception as error:
        raise not_copied(env, name, error) from None
    draw_nothing(layers(duplicate))
    copied = [part for key, part in memo.items() if key not in known]
    held_spaces = [*flat, *(part for part in copied if isinstance(part, gymnasium.Space))]
    for number, space in enumerate([*held_spaces, *_class_spaces(duplicate.unwrapped)]):
        space._np_random = SeededLater(seed, _SPACES, number)
    for number, layer in enumerate(_inner(duplicate)):
        kind: Any = type(layer)
        held = getattr(layer, "__dict__", {})
        for method, function in _cached_methods(kind):
            if getattr(held.get(method), "__func__", function) is function:  # or that of the original
                held[method] = MethodType(function, layer)
        if isinstance(layer, gymnasium.Env) and layer._np_random is None:
            layer._np_random = np.random.default_rng(_stream(seed, _LAYERS, number))
    drawn_from = [part for part in copied if isinstance(part, GENERATORS)]
    drawn_from += _unnoted(env, duplicate, copied, set(map(id, memo.values())), name)
    for number, part in enumerate(drawn_from):
        reseed(part, _stream(seed, _OTHERS, number))
    return duplicate


@cache
def _cached_methods(kind: type) -> list[tuple[str, Any]]:
    """Returns (name, function without its cache) of methods whose cache would keep every clone for ever.

    PettingZoo's documentation caches `action_space` so.
    """
    held = [(name, getattr_static(kind, name)) for name in dir(kind)]
    return [
        (name, method.__wrapped__)
        for name, method in held
        if isinstance(method, _lru_cache_wrapper) and method.cache_parameters()["maxsize"] is None
    ]


def seed_in_place(env: AnyEnv, seed: int) -> None:
    """Seeds all generators that an environment holds, without copying it."""
    for number, part in enumerate(generators(env)):
        reseed(part, _stream(seed, _OTHERS, number))


def has_own_copies(env: AnyEnv) -> bool:
    """Returns whether a layer defines how it is copied."""
    return any(copies_itself(type(layer)) for layer in layers(env))


def _inner(env: AnyEnv) -> list[Any]:
    return [layer for layer in layers(env) if not isinstance(layer, gymnasium.Wrapper)]


def _stream(seed: int, *key: int) -> np.random.SeedSequence:
    """Returns the seed sequence of a clone's generator; each generator has its own key."""
    return np.random.SeedSequence(seed, spawn_key=key)


def _flat_copy(space: Any) -> Any:
    """Returns a copy of a space that shares its parts, which never change, but not its generator."""
    duplicate = object.__new__(type(space))
    vars(duplicate).update(vars(space))
    return duplicate


def _class_spaces(inside: Any) -> list[Any]:
    """Gives an environment its own copies of spaces that are class attributes, and returns them."""
    made = []
    for attribute in ("action_space", "observation_space"):
        is_computed = isinstance(getattr(type(inside), attribute, None), property)
        if attribute not in vars(inside) and hasattr(inside, attribute) and not is_computed:
            space = getattr(inside, attribute)
            made.append(_flat_copy(space) if type(space) in _FLAT else copy.deepcopy(space))
            setattr(inside, attribute, made[-1])
    return made


def _unnoted(env: AnyEnv, duplicate: AnyEnv, copied: list[Any], noted: set[int], name: str) -> list[Any]:
    """Returns the generators in objects that copy themselves, which deepcopy's memo does not contain.

    Raises UnsupportedGameError if one is not a copy.
    """
    own = [part for part in (*layers(duplicate), *copied) if restores_itself(type(part))]
    unnoted = [part for part in generators(own) if id(part) not in noted] if own else []
    originals = set(map(id, generators(env))) if unnoted else set()
    for part in unnoted:
        if id(part) in originals:
            raise UnsupportedGameError(
                f"{name} cannot be sampled: its copies share its {type(part).__name__}, so a search would "
                "change the real dice. Copy it in __deepcopy__ (or clone=) as well"
            )
    return unnoted


def _explain_step(env: AnyEnv, action: Any, name: str, error: Exception) -> NoReturn:
    """Raises an error that says what was wrong with a step, or with what the environment inside returned."""
    if isinstance(error, TypeError | ValueError) and isinstance(env, gymnasium.Wrapper):
        try:
            result = env.unwrapped.step(action)
        except Exception:  # the original error is then reported
            result = None
        if result is not None:
            read_step(result, lambda: action, name)
    what = f"{name}: step({shown(action)}) raised {type(error).__name__}: {error}."
    do = 'Fix step or, if that action is not allowed there, give it a 0 in info["action_mask"]'
    lacking = error.name if isinstance(error, AttributeError) and isinstance(error.obj, int) else None
    if lacking is not None and hasattr(np.int64, lacking):
        do = "Actions are Python integers; begin step with action = np.int64(action)"
    raise StarspielError(f"{what} {do}") from error
