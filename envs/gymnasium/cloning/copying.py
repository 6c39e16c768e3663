"""Makes deep copies of environments, layer by layer, in the way that their authors define."""

import copy
import copyreg
import random
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import CellType, FunctionType
from typing import Any

import gymnasium
from gymnasium.utils import EzPickle

from starspiel.envs.errors import UnsupportedGameError, shown

AnyEnv = gymnasium.Env[Any, Any]

# The operating system's entropy has no state to copy; without this, copy.deepcopy refuses it.
copyreg.pickle(random.SystemRandom, lambda held: (random.SystemRandom, ()))

#: Wrappers that only observe an environment; clones omit them.
OBSERVING_WRAPPERS = (
    gymnasium.wrappers.HumanRendering,
    gymnasium.wrappers.PassiveEnvChecker,
    gymnasium.wrappers.RecordEpisodeStatistics,
    gymnasium.wrappers.RecordVideo,
    gymnasium.wrappers.RenderCollection,
)
#: Packages whose classes copy.deepcopy copies correctly.
_LIBRARIES = {*sys.stdlib_module_names, "gymnasium", "numpy", "open_spiel", "pyspiel", "starspiel"}


class ClonedBy(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment that is copied by a user's function: `clone=` of `EnvOptions`.

    The function takes the environment inside all wrappers and returns one in the same situation that shares
    nothing with it that a step changes. Copies of the wrappers are put around it.
    """

    def __init__(self, env: AnyEnv, function: Callable[[Any], Any]) -> None:
        super().__init__(env)
        self._function = function

    def __deepcopy__(self, memo: dict[int, Any]) -> "ClonedBy":
        inside = self.env.unwrapped
        duplicate = self._function(inside)
        if not isinstance(duplicate, gymnasium.Env) or duplicate is inside:
            raise TypeError(
                f"clone= must return another environment like the one it is given, got {shown(duplicate)}"
            )
        memo[id(inside)] = duplicate.unwrapped
        return ClonedBy(copy_layers(self.env, memo), self._function)


def layers(env: Any) -> Iterator[Any]:
    """Yields an environment's wrappers from the outermost on, then what is inside; also PettingZoo's."""
    while hasattr(env, "step"):
        yield env
        held = getattr(env, "__dict__", {})
        env = held.get("env", held.get("aec"))


def shared_by_right(env: AnyEnv) -> list[Any]:
    """Returns what never changes and clones may share: the transition table and the specification."""
    inside = env.unwrapped
    return [part for part in (getattr(inside, "P", None), inside.spec) if part is not None]


def is_of_library(kind: type) -> bool:
    """Returns whether a class is from one of `_LIBRARIES`."""
    return kind.__module__.partition(".")[0] in _LIBRARIES


def copies_itself(kind: Any) -> bool:
    """Returns whether a class defines its own copying, so that copy.deepcopy does not track its contents."""
    return _defines(kind)[0]


def restores_itself(kind: Any) -> bool:
    """Returns whether a class defines what its copies hold, which copy.deepcopy then does not track."""
    return _defines(kind)[1]


@cache
def _defines(kind: Any) -> tuple[bool, bool]:
    if kind is ClonedBy:
        return True, True
    copies = hasattr(kind, "__deepcopy__")
    restores = getattr(kind, "__setstate__", EzPickle.__setstate__) is not EzPickle.__setstate__
    own = not is_of_library(kind)
    return own and copies, own and (copies or restores)


def copy_layers(env: AnyEnv, memo: dict[int, Any]) -> AnyEnv:
    """Returns a deep copy, made from the inside out, without the wrappers that only observe.

    The attributes of an EzPickle are copied, because copy.deepcopy would create a new one from its arguments.
    The outermost layer that defines how it is copied also copies everything inside it.
    """
    chain: list[Any] = []
    for layer in layers(env):
        chain.append(layer)
        if copies_itself(type(layer)):
            break
    for layer in reversed(chain):
        kind: Any = type(layer)
        if id(layer) in memo:
            continue
        if isinstance(layer, OBSERVING_WRAPPERS):
            memo[id(layer)] = memo[id(layer.env)]
        elif (
            isinstance(layer, EzPickle)
            and kind.__getstate__ is EzPickle.__getstate__
            and not copies_itself(kind)
        ):
            duplicate = memo[id(layer)] = object.__new__(kind)
            vars(duplicate).update(copy.deepcopy(vars(layer), memo))
        else:
            memo[id(layer)] = copy.deepcopy(layer, memo)
        if not copies_itself(kind):
            _bind_functions(memo[id(layer)], memo)
    duplicate = memo[id(env)]
    assert isinstance(duplicate, gymnasium.Env), "copy.deepcopy returns what it was given"
    return duplicate


def _bind_functions(layer: Any, memo: dict[int, Any]) -> None:
    """Gives a copied layer functions of its own, with copies in their closures.

    copy.deepcopy does not copy functions, such as that of a Transform wrapper or `self.roll = lambda: …`.
    """
    held = getattr(layer, "__dict__", {})
    for attribute in [name for name, part in held.items() if type(part) is FunctionType]:
        function = held[attribute]
        if function.__closure__ or function.__defaults__ or function.__kwdefaults__:
            held[attribute] = _bound(function, memo)


def _bound(function: FunctionType, memo: dict[int, Any]) -> FunctionType:
    cells = []
    for cell in function.__closure__ or ():
        if id(cell) not in memo:  # functions may share it
            memo[id(cell)] = _copied(cell, memo)
        cells.append(memo[id(cell)])
    defaults = copy.deepcopy(function.__defaults__, memo)
    duplicate = FunctionType(
        function.__code__, function.__globals__, function.__name__, defaults, tuple(cells) or None
    )
    duplicate.__kwdefaults__ = copy.deepcopy(function.__kwdefaults__, memo)
    return duplicate


def _copied(cell: CellType, memo: dict[int, Any]) -> CellType:
    try:
        return CellType(copy.deepcopy(cell.cell_contents, memo))
    except (TypeError, ValueError):  # a module, or nothing in it yet
        return cell


def not_copied(env: AnyEnv, name: str, error: Exception) -> UnsupportedGameError:
    """Returns the error for an environment that could not be copied."""
    if isinstance(error, UnsupportedGameError):
        return error
    if isinstance(env, ClonedBy):
        return UnsupportedGameError(
            f"{name}: the function clone= raised {type(error).__name__}: {error}. It is given env.unwrapped, "
            "which may not have been reset yet, and must return another environment in the same situation"
        )
    shows = getattr(env, "render_mode", None) is not None
    instead = "Make it with render_mode=None" if shows else "Keep files, generators and such out of it"
    ways = "or give it a __deepcopy__"
    if not hasattr(env, "aec"):  # PettingZoo's environments do not support clone=
        ways += ", or say how it is copied: clone=function, which takes env.unwrapped and returns another in "
        ways += "its situation"
    return UnsupportedGameError(
        f"{name} publishes no rules or table, and it cannot be cloned for sampling: copy.deepcopy raised "
        f"{type(error).__name__}: {error}{_culprit(env)}. {instead}, {ways}"
    )


def _culprit(env: AnyEnv) -> str:
    """Returns which attribute cannot be copied, in words; "" if no single one can be blamed."""
    for layer in reversed(list(layers(env))):
        for attribute, held in getattr(layer, "__dict__", {}).items():
            if attribute in ("env", "aec"):
                continue
            try:
                copy.deepcopy(held)
            except Exception:  # a user's own objects may raise anything
                return f" (attribute {attribute!r} of {type(layer).__name__})"
    return ""
