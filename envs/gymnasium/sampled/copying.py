"""Deep copies of environments, layer by layer, in whichever way their owners say."""

import copy
import copyreg
import functools
import random
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
from gymnasium.utils import EzPickle

from starspiel.envs.errors import UnsupportedGameError, shown
from starspiel.envs.gymnasium.sampled.closures import bind_functions
from starspiel.envs.gymnasium.sampled.generators import is_of_library

AnyEnv = gymnasium.Env[Any, Any]

# The operating system's entropy has no state to copy; copy.deepcopy refuses it unless told how.
copyreg.pickle(random.SystemRandom, lambda held: (random.SystemRandom, ()))

# What only watches an environment; a clone goes without.
OBSERVING_WRAPPERS = (
    gymnasium.wrappers.HumanRendering,
    gymnasium.wrappers.PassiveEnvChecker,
    gymnasium.wrappers.RecordEpisodeStatistics,
    gymnasium.wrappers.RecordVideo,
    gymnasium.wrappers.RenderCollection,
)


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
        return ClonedBy(copy_layers(self.env, memo), self._function)


def layers(env: Any) -> Iterator[Any]:
    """An environment's wrappers from the outermost on, and what is inside; PettingZoo's as well."""
    while hasattr(env, "step"):
        yield env
        held = getattr(env, "__dict__", {})
        env = held.get("env", held.get("aec"))


def shared_by_right(env: AnyEnv) -> list[Any]:
    """What is never written to, a table and the specification: clones have the environment's own."""
    inside = env.unwrapped
    return [part for part in (getattr(inside, "P", None), inside.spec) if part is not None]


def copy_layers(env: AnyEnv, memo: dict[int, Any]) -> AnyEnv:
    """A deep copy, made from the inside out, without the wrappers that only watch.

    What an EzPickle holds is copied: copy.deepcopy would make another from the arguments of the first. From
    the outermost layer on that says itself how it is copied, all is left to that.
    """
    chain: list[Any] = []
    for layer in layers(env):
        chain.append(layer)
        if copies_itself(layer):
            break
    for layer in reversed(chain):
        if id(layer) in memo:
            continue
        if isinstance(layer, OBSERVING_WRAPPERS):
            memo[id(layer)] = memo[id(layer.env)]
        elif (
            isinstance(layer, EzPickle)
            and type(layer).__getstate__ is EzPickle.__getstate__
            and (not copies_itself(layer))
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


def copies_itself(part: Any) -> bool:
    """Whether somebody has said how an object is copied, so that deepcopy does not note what is in it."""
    held = getattr(part, "__dict__", None)
    kind: type = type(part)
    return _kind_copies_itself(kind) or (type(held) is dict and "__deepcopy__" in held)


@functools.lru_cache(maxsize=4096)
def _kind_copies_itself(kind: type) -> bool:
    if issubclass(kind, ClonedBy):
        return True
    return kind in copyreg.dispatch_table or (hasattr(kind, "__deepcopy__") and not is_of_library(kind))


def not_copied(env: AnyEnv, name: str, error: Exception) -> Exception:
    if isinstance(error, UnsupportedGameError):
        return error
    if isinstance(env, ClonedBy):
        return UnsupportedGameError(
            f"{name}: the function clone= raised {type(error).__name__}: {error}. It is given env.unwrapped, "
            "which may not have been reset yet, and must return another environment in the same situation"
        )
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
