"""Hides a referee's memory from other processes of the same user while it holds a secret."""

import ctypes
import sys

_SET_DUMPABLE = 4  # of prctl


def conceal() -> None:
    """Hides this process and its forks from all but the administrator (Linux). Called before the first agent
    runs, and permanent, because a key stays in memory.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0)
