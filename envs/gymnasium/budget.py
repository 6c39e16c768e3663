"""`Budget`: a limit on the time to examine an environment."""

import time

#: Processor seconds to examine an environment when it is loaded.
LOADING_SECONDS = 3.0


class Budget:
    """Processor time of this thread, with a cap on the time that passes, for environments that wait.

    The cap is `waiting` times the seconds, as other processes may take the processor.
    """

    def __init__(self, seconds: float, waiting: float = 4.0) -> None:
        self._computed = time.thread_time() + seconds
        self._passed = time.perf_counter() + waiting * seconds

    def spent(self) -> bool:
        """Whether the time is over."""
        return time.thread_time() > self._computed or time.perf_counter() > self._passed
