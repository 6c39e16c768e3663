"""The time that a check may take, in shares."""

import time

#: The shares of a check's time after which random games and the search for positions met twice end.
PLAYING, WALKING = 0.5, 0.9


class Timer:
    """Tells when a share of a check's time has passed."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._started = time.perf_counter()

    def over(self, share: float = 1.0) -> bool:
        """Whether that share has passed."""
        return self.left(share) <= 0.0

    def left(self, share: float = 1.0) -> float:
        """Seconds until that share has passed."""
        return share * self.seconds - (time.perf_counter() - self._started)
