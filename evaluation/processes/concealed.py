"""Hides a referee's memory from other processes of the same user while it holds a secret."""

import ctypes
import sys

_SET_DUMPABLE = 4  # of prctl


def conceal() -> None:
    """Hides the memory of this process and its forks from all but the administrator (Linux).

    It is called before the first agent runs. It is permanent, because the key stays in memory.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0)
