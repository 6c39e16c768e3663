"""Clones of a Gymnasium environment that go their own way: copied, seeded afresh, stepped.

The generators of a clone, wherever it keeps them, are seeded before every step it takes, so that it meets
other dice than the ones the environment itself is going to throw. What a clone shares with its environment
is `outside.py`'s concern.
"""

import copy
import copyreg
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import gymnasium
import gymnasium.error
import numpy as np
from gymnasium.utils import EzPickle

from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.gymnasium.refusals import explain_reset
from starspiel.envs.gymnasium.sampled.closures import bind_functions
from starspiel.envs.gymnasium.sampled.generators import (
    GENERATORS,
    Reach,
    data,
    fresh,
    is_of_library,
    reseed,
)
from starspiel.envs.gymnasium.sampled.global_dice import lent
from starspiel.envs.gymnasium.sampled.outcome import read_reset, read_step

AnyEnv = gymnasium.Env[Any, Any]

# What only watches an environment; a clone goes without.
_OBSERVING_WRAPPERS = (
    gymnasium.wrappers.HumanRendering,
    gymnasium.wrappers.PassiveEnvChecker,
    gymnasium.wrappers.RecordEpisodeStatistics,
    gymnasium.wrappers.RecordVideo,
    gymnasium.wrappers.RenderCollection,
)
#: Kinds of environments of which a step was seen to draw from a space that had no generator.
_DRAWS_FROM_SPACES: set[tuple[type, ...]] = set()
#: The keys of generators' seeds: those of an environment's layers, of spaces, and others.
_LAYERS, _SPACES, _OTHERS = range(3)


class ClonedBy(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment that is copied by a function of its owner's: `clone=` of `EnvOptions`.

    The function is given the environment inside all wrappers and returns one in the same situation, which
    shares nothing with it that a step changes. The wrappers are copied around that.
    """

    def __init__(self, env: AnyEnv, function: Callable[[Any], Any]) -> None:
        super().__init__(env)
        self._function = function

    def __deepcopy__(self, memo: dict[int, Any]) -> "ClonedBy":
        inside = self.env.unwrapped
        twin = self._function(inside)
        if not isinstance(twin, gymnasium.Env) or twin is inside:
            raise TypeError(
                f"clone= must return another environment like the one it is given, got {shown(twin)}"
            )
        memo[id(inside)] = twin.unwrapped
        return ClonedBy(_copy_layers(self.env, memo), self._function)


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
    kinds = tuple(map(type, layers(env)))
    twin, unseeded = _cloned(env, seed, name, seed_spaces=kinds in _DRAWS_FROM_SPACES)
    after = _take(twin, action, seed, name)
    if any(space._np_random is not None for space in unseeded):
        _DRAWS_FROM_SPACES.add(kinds)  # no seed decided that: once more, with one
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


def clone(env: AnyEnv, seed: int, name: str, *, in_place: bool = False) -> AnyEnv:
    """A deep copy of an environment whose random generators, all of them, are seeded from `seed`.

    One that is to be stepped `in_place` has its spaces seeded as well. Raises `UnsupportedGameError` where
    the environment cannot be copied, or where its own `__deepcopy__` hands on a generator.
    """
    return _cloned(env, seed, name, seed_spaces=in_place)[0]


def layers(env: Any) -> Iterator[Any]:
    """An environment's wrappers from the outermost on, and what is inside; PettingZoo's as well."""
    while hasattr(env, "step"):
        yield env
        held = getattr(env, "__dict__", {})
        env = held.get("env", held.get("aec"))


def _unwrapped(env: AnyEnv) -> list[Any]:
    return [layer for layer in layers(env) if not isinstance(layer, gymnasium.Wrapper)]


def shared_by_right(env: AnyEnv) -> list[Any]:
    """What is never written to, a table and the specification: clones have the environment's own."""
    inside = env.unwrapped
    return [part for part in (getattr(inside, "P", None), inside.spec) if part is not None]


def _cloned(env: AnyEnv, seed: int, name: str, seed_spaces: bool) -> tuple[AnyEnv, list[Any]]:
    """A clone, and the spaces in it that have no generator yet."""
    memo = {id(part): part for part in shared_by_right(env)}
    for number, layer in enumerate(_unwrapped(env)):  # made anew, which takes a fifth of the time of copying
        if (held := getattr(layer, "_np_random", None)) is not None:
            memo.update((id(was), new) for was, new in fresh(held, _stream(seed, _LAYERS, number)))
    known = {*memo, id(memo)}  # by its own id, deepcopy keeps the originals alive
    made = set(map(id, memo.values()))
    try:
        twin = _copy_layers(env, memo)
    except Exception as error:
        raise _not_copied(env, name, error) from None
    copied = [part for key, part in memo.items() if key not in known]
    inside = twin.unwrapped
    for attribute in ("action_space", "observation_space"):
        if attribute not in vars(inside) and hasattr(inside, attribute):
            # One of the class would be shared, generator and all.
            copied.append(copy.deepcopy(getattr(inside, attribute)))
            setattr(inside, attribute, copied[-1])
    for number, layer in enumerate(_unwrapped(twin)):
        if isinstance(layer, gymnasium.Env) and layer._np_random is None:
            layer._np_random = np.random.default_rng(_stream(seed, _LAYERS, number))
    unseeded = _seed_spaces(copied, seed, seed_spaces, made)
    held = [part for part in copied if isinstance(part, GENERATORS) and id(part) not in made]
    if any(map(_copies_itself, layers(env))) or any(map(_copies_itself, copied)):
        held += _unnoted(env, twin, {*made, *map(id, copied)}, name)
    for number, part in enumerate(held):
        reseed(part, _stream(seed, _OTHERS, number))
    return twin, unseeded


def _seed_spaces(copied: Sequence[Any], seed: int, anew: bool, made: set[int]) -> list[Any]:
    """Seeds the spaces' own generators, and notes that in `made`; spaces without one get one if `anew`.

    Returns those without. A space that comes to have a generator has the numbers that it would have had
    with one from the beginning.
    """
    spaces = [part for part in copied if isinstance(part, gymnasium.Space)]
    unseeded: list[Any] = []
    for number, space in enumerate(spaces):
        stream = _stream(seed, _SPACES, number)
        if space._np_random is not None:
            bits = space._np_random.bit_generator
            for part in (bits, *([] if bits.seed_seq is None else [bits.seed_seq])):
                reseed(part, stream)
                made.add(id(part))
        elif anew:
            space._np_random = np.random.default_rng(stream)
        else:
            unseeded.append(space)
    return unseeded


def _stream(seed: int, *key: int) -> np.random.SeedSequence:
    """Where a generator of a clone gets its numbers from; each has a key of its own."""
    return np.random.SeedSequence(seed, spawn_key=key)


def _copy_layers(env: AnyEnv, memo: dict[int, Any]) -> AnyEnv:
    """A deep copy, made from the inside out, without the wrappers that only watch.

    What an EzPickle holds is copied: copy.deepcopy would make another from the arguments of the first. From
    the outermost layer on that says itself how it is copied, all is left to that.
    """
    chain: list[Any] = []
    for layer in layers(env):
        chain.append(layer)
        if _copies_itself(layer):
            break
    for layer in reversed(chain):
        if id(layer) in memo:
            continue
        if isinstance(layer, _OBSERVING_WRAPPERS):
            memo[id(layer)] = memo[id(layer.env)]
        elif (
            isinstance(layer, EzPickle)
            and type(layer).__getstate__ is EzPickle.__getstate__
            and (not _copies_itself(layer))
        ):
            twin = memo[id(layer)] = object.__new__(type(layer))
            vars(twin).update(copy.deepcopy(vars(layer), memo))
        else:
            memo[id(layer)] = copy.deepcopy(layer, memo)
        if isinstance(layer, gymnasium.Wrapper) and is_of_library(type(layer)):
            bind_functions(memo[id(layer)], memo)
    twin = memo[id(env)]
    assert isinstance(twin, gymnasium.Env), "copy.deepcopy returns what it was given"
    return twin


def _copies_itself(part: Any) -> bool:
    """Whether somebody has said how an object is copied, so that deepcopy does not note what is in it."""
    held = getattr(part, "__dict__", None)
    by_kind: bool = _of_a_kind_that_copies_itself(type(part))  # type: ignore[arg-type]
    return by_kind or (type(held) is dict and "__deepcopy__" in held)


@functools.lru_cache(maxsize=4096)
def _of_a_kind_that_copies_itself(kind: type) -> bool:
    if issubclass(kind, ClonedBy):
        return True
    return kind in copyreg.dispatch_table or (hasattr(kind, "__deepcopy__") and not is_of_library(kind))


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


def _not_copied(env: AnyEnv, name: str, error: Exception) -> Exception:
    if isinstance(error, UnsupportedGameError):
        return error
    shows = getattr(env, "render_mode", None) is not None
    instead = "Make it with render_mode=None" if shows else "Keep locks, threads and such out of it"
    return UnsupportedGameError(
        f"{name} publishes no rules or table, and it cannot be cloned for sampling: copy.deepcopy raised "
        f"{type(error).__name__}: {error}{_culprit(env)}. {instead}, or give it a __deepcopy__, or say "
        "how it is copied: clone=function, which takes env.unwrapped and returns another in its situation"
    )


def _culprit(env: AnyEnv) -> str:
    """The attribute that cannot be copied, in words; empty where no single one is to blame."""
    for layer in reversed(list(layers(env))):
        for attribute, held in getattr(layer, "__dict__", {}).items():
            if attribute in ("env", "aec"):
                continue
            try:
                copy.deepcopy(held)
            except Exception:  # whatever a user's own objects raise
                return f" (attribute {attribute!r} of {type(layer).__name__})"
    return ""


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
