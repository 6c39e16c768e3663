"""State outside an environment: what its clones have in common with it, and a step changes.

Classes, modules, closures and objects that nobody copied are shared by an environment and its clones. Dice
among them, or a score, would be changed by a search on clones: the real ones. They are found by walking
through the environment and through a clone of it, and watched while clones are stepped.
"""

import contextlib
import copyreg
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.sampled.clone import After, advance, clone, not_shared
from starspiel.envs.gymnasium.sampled.copying import AnyEnv, ClonedBy, layers, shared_by_right
from starspiel.envs.gymnasium.sampled.generators import (
    GENERATORS,
    LIBRARIES,
    OPAQUE,
    PLAIN,
    Reach,
    is_of_library,
    may_throw,
    named_in,
    names_in,
    parts,
    position_of,
)

#: Entries of the largest container that is kept an eye on; larger ones are tables.
_LARGEST = 4096
#: Seeds that must show the same with and without what has been added outside.
_SEEDS = range(1, 9)
_MISSING = object()

#: What an object holds itself, by name, key or index.
Content = dict[Any, Any]


@dataclass
class _Watched:
    """Something shared: what it is, where it is, and what it held when it was last noted."""

    held: Any
    where: str
    noted: Content


class Outside:
    """What an environment shares with its clones.

    Attributes:
        begun: a clone of it after `reset`, whose functions and objects are watched as well; None without.

    Raises `UnsupportedGameError` for generators that are shared, and for iterators whose position cannot be
    read.
    """

    def __init__(self, env: AnyEnv, name: str) -> None:
        self._name = name
        packages = {type(layer).__module__.partition(".")[0] for layer in layers(env)}
        self._packages = {package for package in packages if package not in LIBRARIES}
        self._watched: dict[int, _Watched] = {}
        # A function of the owner that makes copies has promised that they share nothing that matters.
        self._is_promised = isinstance(env, ClonedBy)
        self._look(env)
        self.begun: After | None = None
        with contextlib.suppress(StarspielError):  # what cannot be reset says so to whoever plays it
            self.begun = advance(env, None, 1, name)
        if self.begun is not None:
            self._look(self.begun.env)
        self.restore()

    def _look(self, env: AnyEnv) -> None:
        """Watches what an environment shares with a clone, as it is now."""
        passed = shared_by_right(env)
        original = Reach(env, "env", passed, self._parts)
        twin = Reach(clone(env, 0, self._name), "env", passed, self._parts)
        for held in twin:
            if held not in original or id(held) in self._watched:
                continue
            if may_throw(type(held)) and (isinstance(held, GENERATORS) or position_of(held) is None):
                raise self._refusal(not_shared(twin.path(held), held))
            if not self._is_promised and (content := self._content(held)) is not None:
                self._watched[id(held)] = _Watched(held, twin.path(held), content)

    def changed(self) -> str | None:
        """What a step has changed, as a reason not to search; None for nothing, or what only grows.

        A cache may grow, and what is None may be set, unless that is dice.
        """
        return next((reason for watched, now in self._differ() if (reason := _harm(watched, now))), None)

    def decides(self, follow: Callable[[int], Hashable]) -> str | None:
        """As `changed`, for what has grown and decides what `follow` finds under a seed."""
        grown = next(self._differ(), None)
        if grown is None:
            return None
        later = [_outcome(follow, seed) for seed in _SEEDS]
        for seed, found in zip(_SEEDS, later, strict=True):
            self.restore()
            if _outcome(follow, seed) != found:
                return _outside(*grown)
        return None

    def restore(self) -> None:
        """Puts back what was there when it was noted."""
        for watched, now in self._differ():
            _refill(watched.held, watched.noted, now)

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Within it nothing outside may change: that is put back at the end, and raises an error."""
        for watched in self._watched.values():
            watched.noted = self._content(watched.held) or {}
        try:
            yield
        finally:
            if (reason := self.changed()) is not None:
                self.restore()
        if reason is not None:
            raise self._refusal(reason)

    def _refusal(self, reason: str) -> UnsupportedGameError:
        return UnsupportedGameError(f"{self._name} cannot be sampled: {reason}")

    def _differ(self) -> Iterator[tuple[_Watched, Content]]:
        """What holds something else than was noted, with that."""
        for watched in self._watched.values():
            now = self._content(watched.held)
            if now is not None and not _is_same(watched.noted, now):
                yield watched, now

    def _parts(self, held: Any) -> Iterable[Any]:
        """As `parts`, with all that functions of the environment's own packages find in their modules."""
        found = parts(held)
        return [*found, *self._names(held).values()] if isinstance(held, FunctionType) else found

    def _names(self, function: FunctionType) -> Content:
        """What a function finds in its module, and in modules of the same packages, by name."""
        if not self._is_own(function.__module__):
            return {}
        found: Content = {}
        for name, value in named_in(function).items():
            if not isinstance(value, ModuleType):
                found[name] = value
            elif self._is_own(value.__name__):
                inside = vars(value)
                found.update(
                    (f"{name}.{each}", inside[each])
                    for each in names_in(function.__code__)
                    if each in inside and not isinstance(inside[each], ModuleType)
                )
        return found

    def _is_own(self, module: str | None) -> bool:
        return module is not None and module.partition(".")[0] in self._packages

    def _content(self, held: Any) -> Content | None:
        """What an object holds itself; None where that is nothing to watch."""
        if isinstance(held, FunctionType):
            return self._names(held)
        if isinstance(held, type):
            own = vars(held).items()
            return None if is_of_library(held) else {n: part for n, part in own if not n.startswith("__")}
        if isinstance(held, CellType):
            try:
                return {"cell_contents": held.cell_contents}
            except ValueError:  # nothing in it yet
                return {}
        if isinstance(held, np.ndarray):
            return None if held.size > _LARGEST or held.dtype.hasobject else {"values": held.tobytes()}
        if isinstance(held, dict | list | deque | set | bytearray):
            if len(held) > _LARGEST:
                return None
            return dict(held) if isinstance(held, dict) else dict(enumerate(held))
        if may_throw(type(held)):
            return {"position": position_of(held)}
        inside = getattr(held, "__dict__", None)
        names = [*(inside if type(inside) is dict else ()), *copyreg._slotnames(type(held))]  # type: ignore[attr-defined]
        return {n: getattr(held, n, None) for n in names} if names and not isinstance(held, OPAQUE) else None


def _harm(watched: _Watched, now: Content) -> str | None:
    """What is wrong with a change; None where it only adds to a mapping or a set, or sets what was None."""
    noted, held = watched.noted, watched.held
    if may_throw(type(held)):
        return not_shared(watched.where, held)
    if dice := [key for key, part in now.items() if may_throw(type(part)) and noted.get(key) is not part]:
        return not_shared(_place(watched, dice[0]), now[dice[0]])
    if isinstance(held, set):
        grows = set(noted.values()) <= set(now.values())
    else:
        grows = not isinstance(held, list | deque | bytearray | np.ndarray) and all(
            before is None or _is_equal(before, now.get(key, _MISSING)) for key, before in noted.items()
        )
    return None if grows else _outside(watched, now)


def _outside(watched: _Watched, now: Content) -> str:
    noted = watched.noted
    keys = (
        key for key in {**noted, **now} if not _is_equal(noted.get(key, _MISSING), now.get(key, _MISSING))
    )
    return (
        f"a step changes {_place(watched, next(keys))}, which is outside the environment: its clones share "
        "that, so a search would change the real game. Keep it in the environment itself: in an attribute of "
        "self, set in reset"
    )


def _place(watched: _Watched, key: Any) -> str:
    """Where a key of something shared is, as code."""
    held = watched.held
    if isinstance(held, FunctionType):
        return str(key) if "." in key else f"{held.__module__}.{key}"
    in_itself = isinstance(held, CellType | np.ndarray | dict | list | deque | set | bytearray)
    return watched.where if in_itself else f"{watched.where}.{key}"


def _is_same(one: Content, other: Content) -> bool:
    return len(one) == len(other) and all(
        key in other and _is_equal(value, other[key]) for key, value in one.items()
    )


def _is_equal(one: Any, other: Any) -> bool:
    """Whether nothing was bound anew; numbers, texts and tuples of these may be equal instead."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_is_equal, one, other))
    return (type(one) in PLAIN or isinstance(one, np.generic)) and bool(one == other)


def _outcome(follow: Callable[[int], Hashable], seed: int) -> Hashable:
    try:
        return follow(seed)
    except StarspielError:  # what was added is missed
        return StarspielError


def _refill(held: Any, content: Content, now: Content) -> None:
    """Makes something shared hold `content` instead of `now`, itself remaining the object it is."""
    if isinstance(held, np.ndarray):
        held[...] = np.frombuffer(content["values"], held.dtype).reshape(held.shape)
    elif isinstance(held, dict | set | deque):
        held.clear()
        if isinstance(held, deque):
            held.extend(content.values())
        else:
            held.update(content if isinstance(held, dict) else content.values())
    elif isinstance(held, list | bytearray):
        held[:] = content.values()
    elif isinstance(held, FunctionType):
        for name in {**content, **now}:
            *module, key = name.split(".")
            names = vars(held.__globals__[module[0]]) if module else held.__globals__
            names.pop(key, None)
            names.update({key: content[name]} if name in content else {})
    elif not may_throw(type(held)):
        for name in {**content, **now}:
            if name in content:
                setattr(held, name, content[name])
            else:
                delattr(held, name)
