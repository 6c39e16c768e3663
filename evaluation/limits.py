"""What an agent may use before it has lost the game."""

from dataclasses import dataclass

from starspiel.envs.errors import StarspielError


@dataclass(frozen=True, slots=True)
class HardLimits:
    """What an agent may use before its worker is killed; None is no limit.

    Attributes:
        move_seconds: wall-clock seconds of one move.
        memory_mb: memory of a worker beyond what it starts with.
    """

    move_seconds: float | None = None
    memory_mb: int | None = None

    def __post_init__(self) -> None:
        for name in ("move_seconds", "memory_mb"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise StarspielError(f"the limit {name} must be a number above 0, got {value!r}.")

    def of_fault(self, kind: str) -> float | None:
        """The limit behind a fault of this kind; None where there is none, or none behind it."""
        return {"hung": self.move_seconds, "memory": self.memory_mb}.get(kind)
