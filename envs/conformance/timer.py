"""Limits the time of a check, and of its parts to shares of it."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: The shares of a check's time after which random games, and then the search for equal positions, end.
PLAYING, WALKING = 0.5, 0.9

#: A call is interrupted _STUCK times the seconds of the check plus _GRACE seconds after the check began.
_STUCK, _GRACE = 2.0, 5.0


class StuckError(BaseException):
    """A call of a game did not return. Not an Exception, so that the game cannot catch it."""


class TimeUpError(Exception):
    """A share of a check's time ended during a case."""


class Timer:
    """A timer that tells when a share of a check's time has passed."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._started = time.perf_counter()

    def left(self, share: float = 1.0) -> float:
        """Returns the seconds until that share has passed."""
        return share * self.seconds - (time.perf_counter() - self._started)

    def over(self, share: float = 1.0) -> bool:
        """Returns whether that share has passed."""
        return self.left(share) <= 0.0

    def tick(self, share: float = 1.0) -> None:
        """Raises `TimeUpError` if the share of time has passed. Called before each call of a game."""
        if self.over(share):
            raise TimeUpError

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Within this context, calls that run long past the time raise `StuckError`, if SIGALRM is free."""
        if (
            threading.current_thread() is not threading.main_thread()
            or not hasattr(signal, "setitimer")
            or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL
        ):
            yield
            return
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, _STUCK * self.seconds + _GRACE)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _stop(number: int, frame: FrameType | None) -> None:
    place = f"{frame.f_code.co_name}(), {frame.f_code.co_filename}:{frame.f_lineno}" if frame else "a call"
    raise StuckError(place)
