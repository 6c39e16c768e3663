"""Recorded searches: records of nodes and their visits."""

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Source(Enum):
    """Where the value of a visit came from."""

    SEARCH = "search"
    TABLE = "table"
    EVALUATOR = "evaluator"
    TERMINAL = "terminal"
    PROBCUT = "probcut"


@dataclass(slots=True, eq=False)
class Visit:
    """One search of a node.

    Attributes:
        depth: decision plies left.
        within: the visit that asked for it; None at the root.
        probe: whether it was asked for by the chance node two steps up, which probes; else by the parent.
        alpha, beta: its window.
        value: what it answered, player 0's expected return; NaN while it is under way.
        source: where that came from.
    """

    depth: int
    within: "Visit | None"
    probe: bool = False
    alpha: float = -math.inf
    beta: float = math.inf
    value: float = math.nan
    source: Source = Source.SEARCH


@dataclass(slots=True, eq=False)
class Record:
    """A node of a recorded search: its state, its visits in order, and its successors that were made.

    Attributes:
        player: who moves, or CHANCE or TERMINAL.
    """

    state: Any
    parent: "Record | None"
    children: dict[int, "Record"] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)
    player: int = field(init=False)

    def __post_init__(self) -> None:
        self.player = int(self.state.current_player())

    def last_visit(self, within: Visit | None, probe: bool) -> Visit | None:
        """The last visit that `within` asked for, as a probe or as a search; None if there is none."""
        asked = (visit for visit in reversed(self.visits) if visit.within is within and visit.probe is probe)
        return next(asked, None)
