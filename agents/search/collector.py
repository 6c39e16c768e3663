"""Python's garbage collector, kept out of the last moments of a search under a time limit.

A full collection stops the program for tens of milliseconds, and comes when it likes: at the end of a search
it would be an overrun. Only cyclic garbage waits for it, and only for as long as PAUSE.
"""

import gc
import threading

#: Seconds before the deadline from which on nothing is collected; a full collection usually takes less.
PAUSE = 0.1

# There is one collector for all threads: the last search to end its pause switches it on again.
_lock = threading.Lock()
_pauses = 0
_was_enabled = False


class CollectorPause:
    """Nothing is collected between `begin` and `end`; where the user has it switched off, it stays off."""

    __slots__ = ("_begun",)

    def __init__(self) -> None:
        self._begun = False

    def begin(self) -> None:
        global _pauses, _was_enabled
        if self._begun:
            return
        self._begun = True
        with _lock:
            if _pauses == 0:
                _was_enabled = gc.isenabled()
                gc.disable()
            _pauses += 1

    def end(self) -> None:
        global _pauses
        if not self._begun:
            return
        self._begun = False
        with _lock:
            _pauses -= 1
            if _pauses == 0 and _was_enabled:
                gc.enable()
