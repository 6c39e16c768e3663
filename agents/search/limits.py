"""Provides `Limits`, the budget of a search."""

from contextlib import suppress
from dataclasses import dataclass
from math import inf

from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import SpecError, StarspielError, shown

#: The greatest depth in decision plies; iterative deepening without `depth` stops there.
MAX_DEPTH = 200
#: The depth of `search` and of search agents if no limit is given.
DEFAULT_DEPTH = 2
#: More nodes than any search can visit.
_MOST_NODES = 2**128


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search, which ends at the first one that it reaches, or earlier if another iteration
    would probably not fit.

    Attributes:
        depth: decision plies (chance nodes do not count, as in OpenSpiel's `expectiminimax`).
        nodes: states visited.
        seconds: wall-clock seconds.

    With `depth` alone, the search goes straight to that depth. With a node or time limit, it deepens
    iteratively and returns the deepest completed iteration (but see `SearchResult.unfinished`).

    Raises `StarspielError` if no limit is given, if one is not positive, or if `depth` is above 200.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.depth is None and self.nodes is None and self.seconds is None:
            raise StarspielError("a search needs a limit: depth, nodes or seconds, e.g. Limits(depth=3).")
        for name, value in (("depth", self.depth), ("nodes", self.nodes)):
            if value is not None:
                object.__setattr__(self, name, whole_number(name, value, 1, _MOST_NODES))
        if self.depth is not None and self.depth > MAX_DEPTH:
            raise StarspielError(f"depth must be at most {MAX_DEPTH}, got {shown(self.depth)}.")
        if self.seconds is not None:
            with suppress(SpecError):
                object.__setattr__(self, "seconds", finite_number("seconds", self.seconds))
            if not isinstance(self.seconds, float) or not 0.0 < self.seconds < inf:
                raise StarspielError(f"seconds must be a positive number, got {shown(self.seconds)}.")

    @property
    def depth_only(self) -> bool:
        """Whether depth is the only limit."""
        return self.nodes is None and self.seconds is None
