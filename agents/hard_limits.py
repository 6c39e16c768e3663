"""What an agent may use before it has lost the game."""

from dataclasses import dataclass, fields

from starspiel.envs.errors import StarspielError

#: To start, an agent has so many times the limit of a move, at least and at most so many seconds, and no less
#: than one move has.
START_MOVES, LEAST_START_SECONDS, MOST_START_SECONDS = 30, 30.0, 300.0
#: What an agent of a module or a program may use if nobody says otherwise.
STRANGERS_SECONDS, STRANGERS_MB = 60.0, 4096


@dataclass(frozen=True, slots=True)
class HardLimits:
    """What an agent may use before its process is ended; None is no limit.

    Attributes:
        move_seconds: wall-clock seconds of one move.
        memory_mb: memory of its processes together.
        cpu_seconds: CPU seconds of its processes together in one game.
    """

    move_seconds: float | None = None
    memory_mb: int | None = None
    cpu_seconds: float | None = None

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if value is not None and not 0 < value < float("inf"):
                raise StarspielError(f"the limit {limit.name} must be a number above 0, got {value!r}.")

    @property
    def start_seconds(self) -> float:
        """Wall-clock seconds within which its process says hello."""
        if self.move_seconds is None:
            return MOST_START_SECONDS
        own = max(LEAST_START_SECONDS, START_MOVES * self.move_seconds)
        return max(self.move_seconds, min(own, MOST_START_SECONDS))

    def for_strangers(self, clock: float | None = None) -> "HardLimits":
        """These for an agent of a module or a program, which has limits also if none are given.

        A move may take a minute or ten times the tournament's clock, and its processes 4 GB of memory.
        """
        return HardLimits(
            self.move_seconds or max(STRANGERS_SECONDS, 10.0 * (clock or 0.0)),
            self.memory_mb or STRANGERS_MB,
            self.cpu_seconds,
        )

    def of_fault(self, kind: str) -> float | None:
        """The limit behind a fault of this kind; None if there is none."""
        return {"hung": self.move_seconds, "memory": self.memory_mb, "cpu": self.cpu_seconds}.get(kind)
