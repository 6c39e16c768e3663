"""Provides `HardLimits`, the limits beyond which an agent loses the game."""

from dataclasses import dataclass, fields
from math import inf

from starspiel.envs.errors import StarspielError, shown

#: The time to start is a multiple of the move limit, bounded by a least and a greatest number of seconds, but
#: never less than the move limit.
START_MOVES, LEAST_START_SECONDS, MOST_START_SECONDS = 30, 30.0, 300.0
#: Default limits of agents that come from modules and programs.
STRANGERS_SECONDS, STRANGERS_MB = 60.0, 4096


@dataclass(frozen=True, slots=True)
class HardLimits:
    """Limits beyond which an agent's process is terminated; None means no limit.

    Attributes:
        move_seconds: wall-clock seconds per move.
        memory_mb: memory of all its processes together, in MB.
        cpu_seconds: CPU seconds of all its processes together in one game.

    Raises StarspielError unless they are numbers above 0.
    """

    move_seconds: float | None = None
    memory_mb: int | None = None
    cpu_seconds: float | None = None

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if value is None:
                continue
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < inf:
                raise StarspielError(f"the limit {limit.name} must be a number above 0, got {shown(value)}.")

    @property
    def start_seconds(self) -> float:
        """Wall-clock seconds within which the process must answer `hello`."""
        if self.move_seconds is None:
            return MOST_START_SECONDS
        own = max(LEAST_START_SECONDS, START_MOVES * self.move_seconds)
        return max(self.move_seconds, min(own, MOST_START_SECONDS))

    def for_strangers(self, clock: float | None = None) -> "HardLimits":
        """Returns the limits of an agent from a module or program. Those not given default to a minute per
        move, or ten times the tournament's clock if that is longer, and to 4 GB of memory.
        """
        return HardLimits(
            self.move_seconds or max(STRANGERS_SECONDS, 10.0 * (clock or 0.0)),
            self.memory_mb or STRANGERS_MB,
            self.cpu_seconds,
        )

    def of_fault(self, kind: str) -> float | None:
        """Returns the limit that causes this kind of fault; None if no limit does."""
        return {"hung": self.move_seconds, "memory": self.memory_mb, "cpu": self.cpu_seconds}.get(kind)
