"""The random generators an object holds, wherever it keeps them: found by walking all that it refers to."""

import gc
import inspect
import io
import logging
import random
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from types import CellType, CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec

from starspiel.envs.gymnasium.sampled.plain_tables import PLAIN, is_plain_table

#: What random numbers are drawn from.
GENERATORS = (
    np.random.Generator,
    np.random.BitGenerator,
    np.random.RandomState,
    np.random.SeedSequence,
    random.Random,
)

# Process-wide, for whoever uses the functions of the modules `random` and `numpy.random`.
_GLOBAL = {id(owner) for owner in (random._inst, np.random.mtrand._rand)}
# No dice in these, and much that is no concern of the object's behind some of them.
_OPAQUE = (ModuleType, CodeType, EnvSpec, logging.Logger, io.IOBase)
_SLOTS = (MemberDescriptorType, GetSetDescriptorType)
_LIBRARIES = {*sys.stdlib_module_names, "gymnasium", "numpy", "open_spiel", "pyspiel", "starspiel"}


class Reach:
    """Everything that can be got at from an object: attributes, slots, items, closures, classes' attributes.

    What a function finds in its module counts where it is a generator. Modules are not walked through, nor
    the classes of libraries.
    """

    def __init__(self, root: Any, name: str, without: Sequence[Any] = ()) -> None:
        self._name = name
        self._holder: dict[int, Any] = {id(root): None}
        self._found = [root]
        passed = _GLOBAL | {id(part) for part in without}
        for held in self._found:  # grows on the way
            for part in _parts(held):
                if type(part) not in PLAIN and id(part) not in self._holder and id(part) not in passed:
                    self._holder[id(part)] = held
                    self._found.append(part)

    def __contains__(self, held: Any) -> bool:
        return id(held) in self._holder

    def __iter__(self) -> Iterator[Any]:
        return iter(self._found)

    def path(self, held: Any) -> str:
        """How to get from the root to an object, as code where it can be written so."""
        steps = []
        while (holder := self._holder[id(held)]) is not None:
            above = self._holder[id(holder)]
            if holder is getattr(above, "__dict__", ()):
                steps.append("." + next(name for name, value in vars(above).items() if value is held))
                holder = above
            else:
                steps.append(_step(holder, held))
            held = holder
        return self._name + "".join(reversed(steps))


def reseed(held: Any, streams: np.random.SeedSequence) -> None:
    """Seeds one of `GENERATORS` with the next stream."""
    if isinstance(held, np.random.Generator):
        return  # its BitGenerator is found as well, and the SeedSequence that `spawn` uses
    stream = streams.spawn(1)[0]
    if isinstance(held, np.random.BitGenerator):
        held.state = type(held)(stream).state
    elif isinstance(held, np.random.RandomState):
        fresh = np.random.RandomState(type(held._bit_generator)(stream))
        held.set_state(fresh.get_state(legacy=False))
    elif isinstance(held, np.random.SeedSequence):
        held.__init__(stream.generate_state(4).tolist())  # type: ignore[misc]
    else:
        held.seed(int(stream.generate_state(1, np.uint64)[0]))


def _parts(held: Any) -> Any:
    """What an object refers to directly."""
    if isinstance(held, _OPAQUE):
        return ()
    if isinstance(held, type):
        if held.__module__.partition(".")[0] in _LIBRARIES:
            return ()
        # A clone has spaces of its own.
        own = [
            part
            for name, part in vars(held).items()
            if name not in ("action_space", "observation_space") and not is_plain_table(held, name, part)
        ]
        return [*own, *held.__bases__]
    if isinstance(held, FunctionType):
        named = (held.__globals__.get(name) for name in _names(held.__code__))
        return [
            *(held.__closure__ or ()),
            *(held.__defaults__ or ()),
            held.__kwdefaults__,
            held.__dict__,
            *(part for part in named if isinstance(part, GENERATORS)),
        ]
    if isinstance(held, np.ndarray):
        return held.ravel().tolist() if held.dtype.hasobject else ()
    return gc.get_referents(held)


def _names(code: CodeType) -> Iterator[str]:
    """The globals and attributes that code names, that of the functions inside it included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _step(holder: Any, part: Any) -> str:
    """What to write after `holder` to get at `part`."""
    if part is type(holder) or isinstance(holder, CellType):
        return ""
    if isinstance(holder, FunctionType):
        for name, cell in zip(holder.__code__.co_freevars, holder.__closure__ or (), strict=True):
            if cell is part:
                return f" (its closure's {name})"
        for name, value in holder.__globals__.items():
            if value is part:
                return f" (the global {name})"
        return " (its defaults)"
    if isinstance(holder, dict):
        for key, value in holder.items():
            if value is part:
                return f"[{key!r}]"
    if isinstance(holder, list | tuple | deque):
        return f"[{next(i for i, value in enumerate(holder) if value is part)}]"
    for name in dir(holder):
        found = inspect.getattr_static(holder, name)
        if isinstance(found, _SLOTS):
            found = getattr(holder, name)
        if found is part:
            return f".{name}"
    return f" (a {type(part).__name__} in its {type(holder).__name__})"
