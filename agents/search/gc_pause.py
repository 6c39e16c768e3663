"""Pauses the garbage collector just before a deadline, which a full collection would overrun."""

import gc
import os
import threading

#: The pause begins so many seconds before the deadline; a full collection usually takes less.
PAUSE = 0.1

# There is one collector for all threads: the last search to end its pause switches it on again.
_lock = threading.Lock()
_pauses: set["CollectorPause"] = set()
_was_enabled = False


class CollectorPause:
    """Pauses the collector between `begin` and `end`; if the user has switched it off, it stays off."""

    __slots__ = ()

    def begin(self) -> None:
        global _was_enabled
        with _lock:
            if not _pauses:
                _was_enabled = gc.isenabled()
                gc.disable()
            _pauses.add(self)

    def end(self) -> None:
        with _lock:
            if self not in _pauses:
                return
            _pauses.remove(self)
            if not _pauses and _was_enabled:
                gc.enable()


def _forked() -> None:
    """Resets the state in a forked process, which has none of the pausing threads."""
    global _lock
    _lock = threading.Lock()
    if _pauses:
        _pauses.clear()
        if _was_enabled:
            gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
