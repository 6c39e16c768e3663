"""The random generators an object holds, wherever it keeps them: found by walking all that it refers to."""

import functools
import gc
import inspect
import io
import itertools
import logging
import operator
import pickle
import random
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CellType, CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec

#: Types of values with nothing in them.
PLAIN = {bool, bytes, complex, float, int, str, type(None)}
#: What random numbers are drawn from.
GENERATORS = (
    np.random.Generator,
    np.random.BitGenerator,
    np.random.RandomState,
    np.random.SeedSequence,
    random.Random,
)

_BITS = {np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64, np.random.MT19937}
# Process-wide, for whoever uses the functions of the modules `random` and `numpy.random`.
_GLOBAL = {id(owner) for owner in (random._inst, np.random.mtrand._rand)}
#: No dice in these, and much that is no concern of the object's behind some of them.
OPAQUE = (ModuleType, CodeType, EnvSpec, logging.Logger, io.IOBase)
_CACHED = type(functools.lru_cache(len))
_SLOTS = (MemberDescriptorType, GetSetDescriptorType)
#: Packages whose classes are known to hold no dice.
LIBRARIES = {*sys.stdlib_module_names, "gymnasium", "numpy", "open_spiel", "pyspiel", "starspiel"}


class Reach:
    """Everything that can be got at from an object: attributes, slots, items, closures, classes' attributes.

    Modules are not walked through, nor the classes of libraries.

    Args:
        without: what is passed by.
        through: what an object refers to; `parts` unless told otherwise.
    """

    def __init__(
        self,
        root: Any,
        name: str,
        without: Sequence[Any] = (),
        through: Callable[[Any], Iterable[Any]] | None = None,
    ) -> None:
        through = through or parts
        self._name = name
        self._holder: dict[int, Any] = {id(root): None}
        self._found = [root]
        passed = _GLOBAL | {id(part) for part in without}
        for held in self._found:  # grows on the way
            for part in through(held):
                if type(part) not in PLAIN and id(part) not in self._holder and id(part) not in passed:
                    self._holder[id(part)] = held
                    self._found.append(part)

    def __contains__(self, held: Any) -> bool:
        return id(held) in self._holder

    def __iter__(self) -> Iterator[Any]:
        return iter(self._found)

    def path(self, held: Any) -> str:
        """How to get from the root, or from a class, to an object, as code where it can be written so."""
        steps: list[str] = []
        while (holder := self._holder[id(held)]) is not None:
            if isinstance(held, type):
                return held.__name__ + "".join(reversed(steps))
            above = self._holder[id(holder)]
            if holder is getattr(above, "__dict__", ()):
                steps.append("." + next(name for name, value in vars(above).items() if value is held))
                holder = above
            else:
                steps.append(_step(holder, held))
            held = holder
        return self._name + "".join(reversed(steps))


def may_throw(kind: type) -> bool:
    """Whether dice that depend on its state may come out of objects of a type.

    Files are iterators, and no dice come out of those; a SystemRandom has no state.
    """
    return issubclass(kind, (*GENERATORS, Iterator)) and not issubclass(
        kind, (io.IOBase, random.SystemRandom)
    )


def position_of(iterator: Iterator[Any]) -> Any:
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


def is_of_library(cls: type) -> bool:
    """Whether a class belongs to a library whose classes are known to hold no dice."""
    return cls.__module__.partition(".")[0] in LIBRARIES


def fresh(held: Any, stream: np.random.SeedSequence) -> tuple[tuple[Any, Any], ...]:
    """What a clone may have in place of a generator, seeded with `stream`.

    (The original, the new one) for the generator and for each generator inside it; nothing for types that
    are not known to the last detail.

    Making one anew takes a fifth of the time that copying it does.
    """
    kind = type(held)
    if kind is np.random.Generator or kind is np.random.RandomState:
        bits = held._bit_generator
        if type(bits) not in _BITS:
            return ()
        own = type(bits)(stream)
        pairs = (held, kind(own)), (bits, own)
        return pairs if bits.seed_seq is None else (*pairs, (bits.seed_seq, stream))
    if kind is random.Random:
        return ((held, random.Random(_number(stream))),)
    return ()


def reseed(held: Any, stream: np.random.SeedSequence) -> None:
    """Seeds one of `GENERATORS`."""
    if isinstance(held, np.random.Generator):
        return  # its BitGenerator is found as well, and the SeedSequence that `spawn` uses
    if isinstance(held, np.random.BitGenerator):
        held.state = type(held)(stream).state
    elif isinstance(held, np.random.RandomState):
        seeded = np.random.RandomState(type(held._bit_generator)(stream))
        held.set_state(seeded.get_state(legacy=False))
    elif isinstance(held, np.random.SeedSequence):
        held.__init__(stream.generate_state(4).tolist())  # type: ignore[misc]
    else:
        held.seed(_number(stream))


def _number(stream: np.random.SeedSequence) -> int:
    return int(stream.generate_state(1, np.uint64)[0])


def parts(held: Any) -> Iterable[Any]:
    """What an object refers to directly; of what a function finds in its module, the generators."""
    if isinstance(held, np.ndarray):
        return held.ravel().tolist() if held.dtype.hasobject else ()
    if isinstance(held, FunctionType):
        return [
            *(held.__closure__ or ()),
            *(held.__defaults__ or ()),
            held.__kwdefaults__,
            held.__dict__,
            *(part for part in named_in(held).values() if isinstance(part, GENERATORS)),
        ]
    if isinstance(held, _CACHED):
        return (held.__wrapped__,)
    if isinstance(held, OPAQUE):
        return ()
    if isinstance(held, type):
        if is_of_library(held):
            return ()
        # A clone has spaces of its own.
        own = [part for name, part in vars(held).items() if name not in ("action_space", "observation_space")]
        return [*own, *held.__bases__]
    return gc.get_referents(held)


def data(held: Any) -> Iterable[Any]:
    """Those of `parts` that are no code: what a copy of an object has of its own."""
    return () if isinstance(held, type | FunctionType) else parts(held)


def named_in(function: FunctionType) -> dict[str, Any]:
    """What a function's code may find in its module."""
    names = function.__globals__
    return {name: names[name] for name in names_in(function.__code__) if name in names}


@functools.lru_cache(maxsize=4096)
def names_in(code: CodeType) -> tuple[str, ...]:
    """The globals and attributes that code names, that of the functions inside it included."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += names_in(constant)
    return tuple(names)


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
    if isinstance(holder, np.ndarray):
        return f".ravel()[{next(i for i, value in enumerate(holder.ravel()) if value is part)}]"
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
