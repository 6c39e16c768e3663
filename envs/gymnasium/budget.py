"""`Budget`: a time limit for examining an environment."""

import time

#: The processor time, in seconds, for examining an environment when it is loaded.
LOADING_SECONDS = 3.0


class Budget:
    """A limit on this thread's processor time and, for environments that wait, on wall-clock time.

    The wall-clock limit is `waiting` times the seconds, because other processes may use the processor.
    """

    def __init__(self, seconds: float, waiting: float = 4.0) -> None:
        self._computed = time.thread_time() + seconds
        self._passed = time.perf_counter() + waiting * seconds

    def spent(self) -> bool:
        """Returns whether the time is used up."""
        return time.thread_time() > self._computed or time.perf_counter() > self._passed
