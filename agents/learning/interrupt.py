"""Treats Ctrl-C as a request, so that work ends at the next safe point."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol


class Stop(Protocol):
    """Tells whether to stop, like a `threading.Event`."""

    def is_set(self) -> bool: ...


@dataclass(frozen=True)
class Until:
    """A request to stop that is also set from a moment of `time.perf_counter()` on."""

    stop: Stop
    moment: float

    def is_set(self) -> bool:
        return self.stop.is_set() or time.perf_counter() >= self.moment


@contextmanager
def asked_to_stop() -> Iterator[threading.Event]:
    """Yields an event that Ctrl-C sets, if this is the main thread; a second Ctrl-C interrupts at once."""
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
