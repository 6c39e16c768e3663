"""Predicts whether the next iteration of a deepening search can finish within its limits."""

from starspiel.agents.search.engines import SearchEngine
from starspiel.agents.search.limits import Limits


class Pace:
    """Predicts the cost of the next iteration from the growth of nodes between iterations.

    Growth alternates with the player who moves last, and depends on the table. The smaller of the last two
    factors is used, so that few iterations are skipped that would have finished in time.
    """

    __slots__ = ("_engine", "_limits", "_nodes", "_nodes_before", "_seconds", "_seconds_before")

    def __init__(self, engine: SearchEngine, limits: Limits) -> None:
        self._engine = engine
        self._limits = limits
        self._nodes: list[int] = []
        self._nodes_before = engine.nodes
        self._seconds_before = engine.elapsed()
        self._seconds = 0.0

    def finished(self) -> None:
        """Records the cost of an iteration; must be called at the end of each."""
        nodes, seconds = self._engine.nodes, self._engine.elapsed()
        self._nodes.append(nodes - self._nodes_before)
        self._seconds = seconds - self._seconds_before
        self._nodes_before, self._seconds_before = nodes, seconds

    def next_fits(self) -> bool:
        """Returns whether the next iteration may finish in time; True before three are done."""
        if len(self._nodes) < 3:
            return True
        before, last, now = self._nodes[-3:]
        growth = max(1.0, min(now / last, last / before))
        limits = self._limits
        if limits.nodes is not None and self._engine.nodes + growth * now > limits.nodes:
            return False
        return limits.seconds is None or self._engine.elapsed() + growth * self._seconds <= limits.seconds
