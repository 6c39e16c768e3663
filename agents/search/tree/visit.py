"""Defines recorded searches: records of nodes and of their visits."""

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Source(Enum):
    """The source of the value of a visit."""

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
        within: the visit that requested it; None at the root.
        probe: whether the chance node two steps up requested it, as a probe; otherwise the parent did.
        alpha, beta: its window.
        value: its result, player 0's expected return; NaN until it is finished.
        source: the source of the value.
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
    """A node of a recorded search: its state, its visits in order, and the successors visited.

    Attributes:
        player: the player to move, CHANCE or TERMINAL.
    """

    state: Any
    parent: "Record | None"
    children: dict[int, "Record"] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)
    player: int = field(init=False)

    def __post_init__(self) -> None:
        self.player = int(self.state.current_player())

    def last_visit(self, within: Visit | None, probe: bool) -> Visit | None:
        """Returns the last visit that `within` requested, as a probe or as a search; None if it did not."""
        asked = (visit for visit in reversed(self.visits) if visit.within is within and visit.probe is probe)
        return next(asked, None)
