"""A referee's memory, closed to other processes of the same user from the moment it is to hold a secret."""

import ctypes
import sys

_SET_DUMPABLE = 4  # of prctl


def conceal() -> None:
    """From now on, only the administrator can look into this process and what it forks (Linux).

    To be called before the first agent runs, which could open this process's memory. It stays so to the
    end, for a key stays in memory after its tournament.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0)
