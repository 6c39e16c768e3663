"""Clones of a Gymnasium environment that go their own way: copied, seeded afresh, stepped.

The generators of a clone, wherever it keeps them, are seeded before every step it takes, so that it meets
other dice than the ones the environment itself is going to throw. What a clone shares with its environment
is `outside.py`'s concern.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn
from zlib import crc32

import gymnasium
import gymnasium.error
import numpy as np
from gymnasium import spaces

from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.refusals import explain_reset
from starspiel.envs.gymnasium.sampled.copying import (
    copies_itself,
    copy_layers,
    layers,
    not_copied,
    shared_by_right,
)
from starspiel.envs.gymnasium.sampled.generators import GENERATORS, Reach, data, fresh, reseed
from starspiel.envs.gymnasium.sampled.global_dice import lent
from starspiel.envs.gymnasium.sampled.outcome import read_reset, read_step

AnyEnv = gymnasium.Env[Any, Any]

#: Kinds of environments of which a step was seen to draw from a space that had no generator.
_DRAWS_FROM_SPACES: set[tuple[type, ...]] = set()
#: Actions tried beside one that raised.
_OTHER_ACTIONS = 30
_FLAT = {spaces.Box, spaces.Discrete, spaces.MultiBinary, spaces.MultiDiscrete}
#: The keys of generators' seeds: those of an environment's layers, of spaces, and others.
_LAYERS, _SPACES, _OTHERS = range(3)


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
    twin, unseeded = _cloned(env, seed, name)
    after = _take(twin, action, seed, name)
    if any(space._np_random is not None for space in unseeded):
        _DRAWS_FROM_SPACES.add(_kinds(env))  # no seed decided that: once more, with one
        return advance(env, action, seed, name)
    return after


def _take(env: AnyEnv, action: int | None, seed: int, name: str) -> After:
    with lent(seed):
        return take_step(env, action, seed, name)


def take_step(env: AnyEnv, action: int | None, seed: int, name: str) -> After:
    """`env` itself after `action`, or after `reset` with the seed modulo 2^32 where that is None.

    Raises `StarspielError` where the environment raises, or returns what it may not.
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
        _explain_step(env, action, name, error)
    if action is None:
        (observation, info), reward, over = read_reset(result, name), 0.0, False
    else:
        observation, reward, over, info = read_step(result, action, name)
    return After(env, observation, reward, over, info)


def clone(env: AnyEnv, seed: int, name: str) -> AnyEnv:
    """A deep copy of an environment whose random generators, all of them, are seeded from `seed`.

    Raises `UnsupportedGameError` where the environment cannot be copied, or where its own `__deepcopy__`
    hands on a generator.
    """
    return _cloned(env, seed, name)[0]


def _kinds(env: AnyEnv) -> tuple[type, ...]:
    return tuple(map(type, layers(env)))


def _unwrapped(env: AnyEnv) -> list[Any]:
    return [layer for layer in layers(env) if not isinstance(layer, gymnasium.Wrapper)]


def _cloned(env: AnyEnv, seed: int, name: str) -> tuple[AnyEnv, list[Any]]:
    """A clone, and the spaces in it that have no generator yet."""
    memo = {id(part): part for part in shared_by_right(env)}
    for number, layer in enumerate(_unwrapped(env)):  # made anew, which takes a fifth of the time of copying
        if (held := getattr(layer, "_np_random", None)) is not None:
            memo.update((id(was), new) for was, new in fresh(held, _stream(seed, _LAYERS, number)))
    flat = _flat_spaces(env)
    memo.update(flat)
    known = {*memo, id(memo)}  # by its own id, deepcopy keeps the originals alive
    made = set(map(id, memo.values()))
    try:
        twin = copy_layers(env, memo)
    except Exception as error:
        raise not_copied(env, name, error) from None
    copied = [*flat.values(), *(part for key, part in memo.items() if key not in known)]
    inside = twin.unwrapped
    for attribute in ("action_space", "observation_space"):
        is_computed = isinstance(getattr(type(inside), attribute, None), property)
        if attribute not in vars(inside) and hasattr(inside, attribute) and not is_computed:
            # One of the class would be shared, generator and all.
            copied.append(copy.deepcopy(getattr(inside, attribute)))
            setattr(inside, attribute, copied[-1])
    for number, layer in enumerate(_unwrapped(twin)):
        if isinstance(layer, gymnasium.Env) and layer._np_random is None:
            layer._np_random = np.random.default_rng(_stream(seed, _LAYERS, number))
    unseeded = _seed_spaces(copied, seed, _kinds(env) in _DRAWS_FROM_SPACES, made)
    held = [part for part in copied if isinstance(part, GENERATORS) and id(part) not in made]
    if any(map(copies_itself, layers(env))) or any(map(copies_itself, copied)):
        held += _unnoted(env, twin, {*made, *map(id, copied)}, name)
    for number, part in enumerate(held):
        reseed(part, _stream(seed, _OTHERS, number))
    return twin, unseeded


def seed_alike(env: AnyEnv, seed: int) -> set[str]:
    """Seeds an environment's generators in place, each by where it is; returns these places."""
    reach = Reach(env, "env", without=shared_by_right(env), through=data)
    places = {reach.path(part): part for part in reach if isinstance(part, GENERATORS)}
    for place, part in places.items():
        reseed(part, _stream(seed, crc32(place.encode())))
    return set(places)


def _flat_spaces(env: AnyEnv) -> dict[int, Any]:
    """Copies of the spaces in attributes, by the id of each; all but the generator is never written to."""
    copies: dict[int, Any] = {}
    for layer in layers(env):
        for held in getattr(layer, "__dict__", {}).values():
            if type(held) in _FLAT:
                twin = copies[id(held)] = object.__new__(type(held))
                vars(twin).update(vars(held), _np_random=copy.deepcopy(held._np_random))
    return copies


def _seed_spaces(copied: Sequence[Any], seed: int, anew: bool, made: set[int]) -> list[Any]:
    """Seeds the spaces' own generators, and notes that in `made`; spaces without one get one if `anew`.

    Returns those without. A space that comes to have a generator has the numbers that it would have had
    with one from the beginning.
    """
    unseeded: list[Any] = []
    for number, space in enumerate(part for part in copied if isinstance(part, gymnasium.Space)):
        if space._np_random is not None:
            bits = space._np_random.bit_generator
            for part in (bits, *([] if bits.seed_seq is None else [bits.seed_seq])):
                reseed(part, _stream(seed, _SPACES, number))
                made.add(id(part))
        elif anew:
            space._np_random = np.random.default_rng(_stream(seed, _SPACES, number))
        else:
            unseeded.append(space)
    return unseeded


def _stream(seed: int, *key: int) -> np.random.SeedSequence:
    """Where a generator of a clone gets its numbers from; each has a key of its own."""
    return np.random.SeedSequence(seed, spawn_key=key)


def _unnoted(env: AnyEnv, twin: AnyEnv, noted: set[int], name: str) -> list[Any]:
    """The generators of a clone that deepcopy did not note. Raises where one is the environment's own."""
    passed = shared_by_right(env)
    found = Reach(twin, "env", without=passed, through=data)
    held = [part for part in found if isinstance(part, GENERATORS) and id(part) not in noted]
    original = Reach(env, "env", without=passed, through=data) if held else ()
    for part in held:
        if part in original:
            raise UnsupportedGameError(f"{name} cannot be sampled: {not_shared(found.path(part), part)}")
    return held


def not_shared(where: str, held: Any) -> str:
    """What is wrong with a generator or iterator that clones have in common with their environment."""
    return (
        f"{where} is a {type(held).__name__} that the environment and its clones share, so a search would "
        "change the real dice. Keep it in an attribute that copy.deepcopy copies (not in a function, a class "
        "or a module), or draw from self.np_random"
    )


def _explain_step(env: AnyEnv, action: int, name: str, error: Exception) -> NoReturn:
    """Raises what was wrong with a step: what the environment inside returns, where wrappers fell over it."""
    if isinstance(error, TypeError | ValueError) and isinstance(env, gymnasium.Wrapper):
        try:
            result = env.unwrapped.step(action)
        except Exception:  # then that is what is wrong
            result = None
        if result is not None:
            read_step(result, action, name)
    raise StarspielError(
        f"{name}: step({action}) raised {type(error).__name__}: {error}. {_cure(env, action, name, error)}"
    ) from error


def _cure(env: AnyEnv, action: int, name: str, error: Exception) -> str:
    """What to do about an error of `step`: a mask helps only if it concerns some actions and not others."""
    if isinstance(error, AttributeError):
        return "Mend step, or what reset (or clone=) sets"
    if isinstance(error, NameError | ImportError):
        return "Mend step"
    space: Any = env.action_space
    others = [other for other in range(space.start, space.start + space.n) if other != action]
    if not any(_can_step(env, other, name) for other in others[:_OTHER_ACTIONS]):
        tried = "every action" if len(others) <= _OTHER_ACTIONS else f"all of {_OTHER_ACTIONS + 1} actions"
        return f"It raises for {tried} there, whatever is allowed: mend step"
    return 'Mend step, or, if that action is not allowed there, give it a 0 in info["action_mask"]'


def _can_step(env: AnyEnv, action: int, name: str) -> bool:
    try:
        twin = clone(env, 0, name)
        with lent(0):
            twin.step(action)
    except Exception:  # whatever a user's step raises
        return False
    return True
