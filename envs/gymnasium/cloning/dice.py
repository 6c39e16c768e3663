"""Finds and seeds the random generators in an object, and temporarily seeds `random` and `numpy.random`."""

import ctypes
import gc
import io
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec

#: The classes of random generators.
GENERATORS = (
    np.random.Generator,
    np.random.BitGenerator,
    np.random.RandomState,
    np.random.SeedSequence,
    random.Random,
)
#: Types of values that contain no other objects.
PLAIN = {bool, bytes, complex, float, int, str, type(None)}
#: Types of code, which copies share, and of objects that are not copied.
OPAQUE = (type, FunctionType, ModuleType, CodeType, EnvSpec, logging.Logger, io.IOBase)
#: The generators behind the functions of `random` and `numpy.random`.
_GLOBAL = {id(owner) for owner in (random._inst, np.random.mtrand._rand)}
_BYTES = 624 * 4 + 4  # the state of a Mersenne Twister: its numbers, and how many have been used


def generators(root: Any) -> list[Any]:
    """Returns the `GENERATORS` in an object's attributes and containers, at any depth, but not in code."""
    found: list[Any] = []
    seen = {id(root), *_GLOBAL}
    ahead = [root]
    for held in ahead:  # grows during the loop
        if isinstance(held, GENERATORS):
            found.append(held)
        is_objects = isinstance(held, np.ndarray) and held.dtype.hasobject
        for part in held.ravel().tolist() if is_objects else gc.get_referents(held):
            if type(part) not in PLAIN and id(part) not in seen and not isinstance(part, OPAQUE):
                seen.add(id(part))
                ahead.append(part)
    return found


def reseed(held: Any, stream: np.random.SeedSequence) -> None:
    """Seeds one of `GENERATORS` in place."""
    if isinstance(held, np.random.Generator):
        return  # its BitGenerator, and the SeedSequence that `spawn` uses, are found and seeded separately
    if isinstance(held, np.random.BitGenerator):
        held.state = type(held)(stream).state
    elif isinstance(held, np.random.RandomState):
        seeded = np.random.RandomState(type(held._bit_generator)(stream))
        held.set_state(seeded.get_state(legacy=False))
    elif isinstance(held, np.random.SeedSequence):
        held.__init__(stream.generate_state(4).tolist())  # type: ignore[misc]
    else:
        held.seed(int(stream.generate_state(1, np.uint64)[0]))


class SeededLater:
    """A NumPy generator that is created at its first use, because most spaces are never drawn from."""

    def __init__(self, *stream: int) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if "_made" not in vars(self):
            seed, *key = self._stream
            self._made = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
        return getattr(self._made, name)


@contextmanager
def lent(seed: int) -> Iterator[None]:
    """Seeds `random` and `numpy.random` within this context, and restores them afterwards."""
    before = saved()
    seed_both(seed)
    try:
        yield
    finally:
        put_back(before)


def seed_both(seed: int) -> None:
    """Seeds `random` and `numpy.random`."""
    random.seed(seed)
    np.random.seed(seed % 2**32)


def saved() -> tuple[Any, Any]:
    """Returns the state of `random` and `numpy.random`."""
    legacy: Any = np.random.mtrand._rand
    bits = legacy._bit_generator
    if type(bits) is not np.random.MT19937:
        return random.getstate(), legacy.get_state(legacy=False)
    # NumPy itself copies the 624 numbers one by one, which takes longer than most steps.
    numbers = ctypes.string_at(bits.ctypes.state_address, _BYTES)
    with _without_numbers(legacy):
        return random.getstate(), (numbers, legacy.get_state(legacy=False))


def put_back(state: tuple[Any, Any]) -> None:
    """Restores `random` and `numpy.random`."""
    random.setstate(state[0])
    legacy: Any = np.random.mtrand._rand
    if isinstance(state[1], dict):
        legacy.set_state(state[1])
        return
    numbers, deviate = state[1]
    with _without_numbers(legacy):
        legacy.set_state(deviate)
    ctypes.memmove(legacy._bit_generator.ctypes.state_address, numbers, _BYTES)


class _NoNumbers:
    """A stand-in for a bit generator, so that a RandomState saves and restores only its cached deviate."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {"bit_generator": "", "state": None}


@contextmanager
def _without_numbers(legacy: Any) -> Iterator[None]:
    bits, legacy._bit_generator = legacy._bit_generator, _NoNumbers()
    try:
        yield
    finally:
        legacy._bit_generator = bits
