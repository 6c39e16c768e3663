"""Ctrl-C as a wish: what runs ends at the next good place."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol


class Stop(Protocol):
    """What tells whether to end, such as a `threading.Event`."""

    def is_set(self) -> bool: ...


@dataclass(frozen=True)
class Until:
    """A wish to end that also comes at a moment of `time.perf_counter()`."""

    stop: Stop
    moment: float

    def is_set(self) -> bool:
        return self.stop.is_set() or time.perf_counter() >= self.moment


@contextmanager
def asked_to_stop() -> Iterator[threading.Event]:
    """Set by Ctrl-C, if this is the main thread; the second one ends at once."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(number: int, frame: Any) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
