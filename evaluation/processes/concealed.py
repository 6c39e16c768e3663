"""A referee's memory, closed to other processes of the same user from the moment it is to hold a secret."""

import ctypes
import sys

_SET_DUMPABLE = 4  # of prctl


def conceal() -> None:
    """From now on, this process and what it forks can be looked into by the system's administrator alone.

    To be called before the first agent runs: what has opened this process's memory by then can go on reading
    it. It stays so to the end, for a key stays in memory after its tournament. On Linux; elsewhere the system
    does not let processes read each other's memory without asking.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0)
