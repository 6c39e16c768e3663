"""One object for every budget of a search."""

import math
from dataclasses import dataclass
from numbers import Integral, Real

from starspiel.envs.errors import StarspielError

#: The deepest search there is, in decision plies; an iterative deepening without `depth` ends here.
MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a search may go; whichever limit is met first ends it.

    Attributes:
        depth: decision plies (chance nodes do not count, as in OpenSpiel's `expectiminimax`).
        nodes: states visited.
        seconds: wall-clock seconds.

    With `depth` alone the search goes straight to that depth. With a node or time limit it deepens
    iteratively, and answers with the deepest completed iteration.

    Raises `StarspielError` where no limit is given or one is not positive.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.depth is None and self.nodes is None and self.seconds is None:
            raise StarspielError("a search needs a limit: depth, nodes or seconds, e.g. Limits(depth=3).")
        for name, value in (("depth", self.depth), ("nodes", self.nodes)):
            whole = isinstance(value, Integral) and not isinstance(value, bool)
            if value is not None and (not whole or value < 1):
                raise StarspielError(f"{name} must be a whole number of at least 1, got {value!r}.")
        if self.depth is not None and self.depth > MAX_DEPTH:
            raise StarspielError(f"depth must be at most {MAX_DEPTH}, got {self.depth}.")
        seconds = self.seconds
        if seconds is not None and (
            isinstance(seconds, bool) or not isinstance(seconds, Real) or not 0 < seconds < math.inf
        ):
            raise StarspielError(f"seconds must be a positive number, got {seconds!r}.")

    @property
    def depth_only(self) -> bool:
        """Whether nothing but the depth ends the search, so that its result does not depend on speed."""
        return self.nodes is None and self.seconds is None
