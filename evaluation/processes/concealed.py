"""A referee's memory, closed to other processes of the same user while it holds a secret."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_GET_DUMPABLE, _SET_DUMPABLE = 3, 4  # of prctl


@contextmanager
def concealed() -> Iterator[None]:
    """Within it, this process and what it forks can be looked into by the system's administrator alone.

    On Linux; elsewhere the system does not let processes read each other's memory without asking.
    """
    if sys.platform != "linux":
        yield
        return
    prctl = ctypes.CDLL(None).prctl
    before = prctl(_GET_DUMPABLE)
    prctl(_SET_DUMPABLE, 0)
    try:
        yield
    finally:
        prctl(_SET_DUMPABLE, before)
