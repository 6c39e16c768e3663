"""The generators behind the modules `random` and `numpy.random`, lent to a clone for some steps.

They are saved, seeded, and put back as they were. Both are Mersenne Twisters, whose `getstate` and `setstate`
handle 624 numbers one by one and take longer than most steps; where their memory is laid out as expected,
which is tried once, the numbers are copied as a block.
"""

import _random
import ctypes
import functools
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_BYTES = 624 * 4 + 4  # the numbers, and how many of them have been used
_KEPT = "gauss_next"  # where a Random keeps the second of two deviates


State = tuple[Any, Any]


@contextmanager
def lent(seed: int) -> Iterator[None]:
    """Seeds `random` and `numpy.random` for a while, then puts them back as they were."""
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


def saved() -> State:
    """The state of both."""
    return _saved_python(random._inst), _saved(np.random.mtrand._rand)


def put_back(state: State) -> None:
    """Makes both as they were."""
    _restore_python(random._inst, state[0])
    _restore(np.random.mtrand._rand, state[1])


def _saved_python(source: random.Random) -> tuple[Any, ...]:
    """The state of a Random: (the bytes, the normal deviate kept for later), or what Python says."""
    if type(source) is not random.Random or not _is_python_laid_out_as_expected():
        return source.getstate()
    return ctypes.string_at(id(source) + object.__basicsize__, _BYTES), vars(source)[_KEPT]


def _restore_python(source: random.Random, state: tuple[Any, ...]) -> None:
    if not isinstance(state[0], bytes):
        source.setstate(state)
        return
    ctypes.memmove(id(source) + object.__basicsize__, state[0], _BYTES)
    vars(source)[_KEPT] = state[1]


class _NoNumbers:
    """In place of the bit generator, so that a RandomState tells, or takes, what else its state holds."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {"bit_generator": "", "state": None}


def _saved(legacy: Any) -> Any:
    """The state of a RandomState: (the bytes, the normal deviate kept for later), or what numpy says."""
    numbers = legacy._bit_generator
    if type(numbers) is not np.random.MT19937 or not _is_laid_out_as_expected():
        return legacy.get_state(legacy=False)
    return ctypes.string_at(numbers.ctypes.state_address, _BYTES), _kept_deviate(legacy)


def _restore(legacy: Any, state: Any) -> None:
    if isinstance(state, dict):
        legacy.set_state(state)
        return
    numbers = legacy._bit_generator
    stand_in = _NoNumbers()
    legacy._bit_generator = stand_in
    try:
        legacy.set_state({**stand_in.state, **state[1]})
    finally:
        legacy._bit_generator = numbers
    ctypes.memmove(numbers.ctypes.state_address, state[0], _BYTES)


def _kept_deviate(legacy: Any) -> dict[str, Any]:
    numbers = legacy._bit_generator
    legacy._bit_generator = _NoNumbers()
    try:
        state = legacy.get_state(legacy=False)
    finally:
        legacy._bit_generator = numbers
    return {name: state[name] for name in ("has_gauss", "gauss")}


@functools.cache
def _is_laid_out_as_expected() -> bool:
    """Whether a RandomState that is copied as a block and put back goes on as it would have."""
    try:
        tried, same = (np.random.RandomState(np.random.MT19937(5)) for _ in range(2))
        for each in (tried, same):
            each.standard_normal(7)  # an odd number: one is kept
        state = ctypes.string_at(tried._bit_generator.ctypes.state_address, _BYTES), _kept_deviate(tried)
        tried.standard_normal(1000)
        _restore(tried, state)
        return bool((tried.standard_normal(2000) == same.standard_normal(2000)).all())
    except Exception:  # whatever another version of numpy makes of it
        return False


@functools.cache
def _is_python_laid_out_as_expected() -> bool:
    """The same of a Random, whose numbers follow what every object of CPython begins with."""
    size = _random.Random.__basicsize__ - object.__basicsize__
    if sys.implementation.name != "cpython" or not _BYTES <= size < _BYTES + 8:
        return False
    tried, same = random.Random(5), random.Random(5)
    for each in (tried, same):
        each.gauss(0, 1)  # one is kept
    state = ctypes.string_at(id(tried) + object.__basicsize__, _BYTES), vars(tried).get(_KEPT)
    tried.gauss(0, 1)
    for _ in range(1000):
        tried.random()
    _restore_python(tried, state)
    return tried.getstate() == same.getstate()
