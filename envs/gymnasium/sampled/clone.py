"""Clones of a Gymnasium environment that go their own way: copied, seeded afresh, stepped.

The generators of a clone, wherever it keeps them, are seeded before every step it takes, so that it meets
other dice than the ones the environment itself is going to throw; and it shares none with the environment, so
that no clone changes those.
"""

import copy
import itertools
import operator
import pickle
import random
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import gymnasium
import gymnasium.error
import numpy as np
from gymnasium.utils import EzPickle

from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.refusals import explain_reset
from starspiel.envs.gymnasium.sampled.closures import bind_functions
from starspiel.envs.gymnasium.sampled.generators import (
    GENERATORS,
    PLAIN,
    Reach,
    is_of_library,
    may_throw,
    reseed,
)
from starspiel.envs.gymnasium.sampled.global_dice import lent
from starspiel.envs.gymnasium.sampled.outcome import read_reset, read_step
from starspiel.envs.gymnasium.sampled.plan import Plan, key_of, plan_of, stream

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


@dataclass(frozen=True)
class _Clone:
    """A clone, and what is looked at after each of its steps.

    Attributes:
        shared: iterators that are the environment's as well: each with its position and where it is.
        spaces: those without a generator; they make one on first use, from the operating system's entropy.
    """

    env: AnyEnv
    plan: Plan
    shared: list[tuple[Iterator[Any], Any, str]]
    spaces: list[Any]

    def take(self, action: int | None, seed: int, name: str) -> After:
        """Steps, or resets, with the global generators seeded for that."""
        with lent(seed):
            after = take_step(self.env, action, seed, name)
        for iterator, before, where in self.shared:
            if _position(iterator) != before:
                raise _changes_dice(name, where, iterator)
        return after


def advance(env: AnyEnv, action: int | None, seed: int, name: str) -> After:
    """A clone of `env` after `action`, or after `reset` where that is None; `seed` alone decides its dice."""
    made = _cloned(env, seed, name)
    after = made.take(action, seed, name)
    if any(space._np_random is not None for space in made.spaces):
        made.plan.seeds_spaces = True  # no seed decided that: once more, with one
        after = _cloned(env, seed, name).take(action, seed, name)
    return after


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

    Raises `UnsupportedGameError` where the environment cannot be copied, or where the copy holds a generator
    that is the environment's own: a search would change the dice of the game that is played. So it would with
    an iterator that steps advance; one whose position nobody can read (a generator) is refused too.
    """
    return _cloned(env, seed, name).env


class Playing:
    """One clone of an environment, seeded once and then stepped as often as one likes, as rollouts do.

    Its dice, those of the modules `random` and `numpy.random` too, follow from `seed` alone. Raises what
    `clone` raises.
    """

    def __init__(self, env: AnyEnv, seed: int, name: str) -> None:
        self._clone = _cloned(env, seed, name, seed_spaces=True)
        self._seeds = random.Random(seed)
        self._name = name
        self._layers = [vars(layer) for layer in _layers(self._clone.env)]
        # By their numbers, and kept, so that no other generator gets one of these.
        self._seeded = {id(held): held for held in self._generators_in_sight()}

    def step(self, action: int) -> After:
        """What the clone is like after an action."""
        return self._clone.take(action, self._seeds.getrandbits(62), self._name)

    def took_up_dice(self) -> bool:
        """Whether a step has brought a generator that was not seeded: for more steps make another clone."""
        return any(id(held) not in self._seeded for held in self._generators_in_sight())

    def _generators_in_sight(self) -> Iterator[Any]:
        """Those in the attributes of the environment, of its wrappers, and of the objects held there."""
        for layer in self._layers:
            for held in layer.values():
                if type(held) in _COMMON or isinstance(held, _KNOWN):
                    continue
                if isinstance(held, GENERATORS):
                    yield held
                elif (parts := getattr(held, "__dict__", None)) is not None:
                    yield from (part for part in parts.values() if isinstance(part, GENERATORS))


#: Most attributes are of these types, which are no objects with attributes of their own.
_COMMON = {*PLAIN, dict, list, np.ndarray, np.float32, np.float64, np.int64, set, tuple}
#: A wrapper's environment is a layer itself; a space keeps its generator.
_KNOWN = (gymnasium.Env, gymnasium.Space, gymnasium.envs.registration.EnvSpec)


def _layers(env: AnyEnv) -> Iterator[AnyEnv]:
    """An environment's wrappers from the outermost on, and what is inside."""
    while isinstance(env, gymnasium.Wrapper):
        yield env
        env = env.env
    yield env


def _cloned(env: AnyEnv, seed: int, name: str, seed_spaces: bool = False) -> _Clone:
    while isinstance(env, _OBSERVING_WRAPPERS):
        env = env.env
    plan = plan_of(env)
    # What is never written to, a table and the specification, clones share.
    passed = [part for part in (getattr(env.unwrapped, "P", None), env.unwrapped.spec) if part is not None]
    for looked_for in (False, True):
        made = plan.replacements(env, seed)
        try:
            twin, copied = _copied(env, made, [*passed, *plan.stateless], name)
        except UnsupportedGameError:
            if not plan.find_stateless(env, passed):
                raise
            twin, copied = _copied(env, made, [*passed, *plan.stateless], name)
        noted, others = plan.look_through(copied, [*passed, *plan.stateless, *made.values()])
        held = [part for part in noted if isinstance(part, GENERATORS)]
        if looked_for:
            plan.elsewhere.add(len(held))
        elif len(held) in plan.elsewhere:
            break
        else:  # there are some where none was before
            plan.find_routes(env, passed)
    lazy = [part for part in (*noted, *others) if _has_no_generator(part)]
    iterators: list[tuple[Iterator[Any], Any, str]] = []
    if plan.classes.holds_dice or any(may_throw(type(part)) for part in others):
        by_hand, iterators = _unnoted(
            env, twin, {id(part) for part in (*copied, *made.values())}, passed, name
        )
        held += by_hand
    for number, part in enumerate(held):
        reseed(part, stream(seed, 0, number))
    for number, inside in enumerate(part for part in lazy if isinstance(part, gymnasium.Env)):
        inside._np_random = np.random.default_rng(stream(seed, 1, number))
    spaces = [part for part in lazy if isinstance(part, gymnasium.Space)]
    if spaces and (seed_spaces or plan.seeds_spaces):
        _seed_spaces(twin, spaces, seed, passed)
        spaces = []
    return _Clone(twin, plan, iterators, spaces)


def _copied(env: AnyEnv, made: dict[int, Any], passed: Sequence[Any], name: str) -> tuple[AnyEnv, list[Any]]:
    """A deep copy without what only watches, and all that was copied for it but for what `made` replaces."""
    copies = {id(part): part for part in passed} | made
    known = set(copies)
    try:
        _copy_made_again(env, copies)
        twin = copy.deepcopy(env, copies)
    except Exception as error:
        shows = getattr(env, "render_mode", None) is not None
        instead = "Make it with render_mode=None" if shows else "Keep locks, threads and such out of it"
        raise UnsupportedGameError(
            f"{name} publishes no rules or table, and it cannot be cloned for sampling: copy.deepcopy raised "
            f"{type(error).__name__}: {error}. {instead}, or give it a __deepcopy__"
        ) from None
    layer = twin
    while isinstance(layer, gymnasium.Wrapper):
        if is_of_library(type(layer)):
            bind_functions(layer, copies)
        while isinstance(layer.env, _OBSERVING_WRAPPERS):
            layer.env = layer.env.env
        layer = layer.env
    inside = twin.unwrapped
    for space in ("action_space", "observation_space"):
        if space not in vars(inside) and hasattr(inside, space):
            # One of the class would be shared, generator and all.
            setattr(inside, space, copy.deepcopy(getattr(inside, space), copies))
    known.add(id(copies))  # where deepcopy keeps the originals
    return twin, [part for key, part in copies.items() if key not in known]


def _unnoted(
    env: AnyEnv, twin: AnyEnv, noted: set[int], passed: Sequence[Any], name: str
) -> tuple[list[Any], list[tuple[Iterator[Any], Any, str]]]:
    """Generators of a clone that deepcopy did not note, and iterators that it shares, by a walk through all.

    Raises `UnsupportedGameError` where it shares a generator, or an iterator whose position cannot be read.
    """
    reached = Reach(twin, "env", without=passed)
    original: Reach | None = None
    own, iterators = [], []
    for held in reached:
        if not may_throw(type(held)) or id(held) in noted:
            continue
        original = original or Reach(env, "env", without=passed)
        if held in original:
            position = None if isinstance(held, GENERATORS) else _position(held)
            where = reached.path(held)
            if position is None:
                raise _changes_dice(name, where, held)
            iterators.append((held, position, where))
        elif isinstance(held, GENERATORS):
            own.append(held)
    return own, iterators


def _copy_made_again(env: Any, copies: dict[int, Any]) -> None:
    """Copies what is inside of an environment whose layers (EzPickle) copy.deepcopy would only make anew."""
    layer = env
    while layer is not None:
        if isinstance(layer, EzPickle) and "__deepcopy__" not in dir(type(layer)):
            twin = copies[id(layer)] = object.__new__(type(layer))
            vars(twin).update(copy.deepcopy(vars(layer), copies))
        layer = vars(layer).get("env", vars(layer).get("aec"))


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
        f"{name}: step({action}) raised {type(error).__name__}: {error}. An action that is not allowed must "
        'have a 0 in info["action_mask"], or do nothing'
    ) from error


def _has_no_generator(part: Any) -> bool:
    if isinstance(part, gymnasium.Wrapper) or not isinstance(part, gymnasium.Env | gymnasium.Space):
        return False
    return getattr(part, "_np_random", None) is None


def _seed_spaces(twin: AnyEnv, spaces: Sequence[Any], seed: int, passed: Sequence[Any]) -> None:
    """Gives spaces a generator, with the numbers that it would get if it had been there before."""
    reached = Reach(twin, "env", without=passed)
    for number, space in enumerate(spaces):
        route = reached.route(space) if space in reached else None
        key = (2, number) if route is None else (key_of((*route, (True, "_np_random"))),)
        space._np_random = np.random.default_rng(stream(seed, *key))


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
