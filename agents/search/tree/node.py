"""Provides `TreeNode`, a node of a searched tree: its value, bounds and the reason for its cut."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.sampling import undrawn
from starspiel.agents.search.star import CUT_TOLERANCE
from starspiel.agents.search.tree.visit import Record, Source, Visit
from starspiel.agents.search.tree.words import number
from starspiel.envs.base import CHANCE, TERMINAL, possible_outcomes
from starspiel.envs.plays.plays import name_of

_KINDS = {0: "max", 1: "min", CHANCE: "chance", TERMINAL: "end"}


_REASONS = {
    "beta cut": "a move here is worth {}, so player 1 avoids it",
    "alpha cut": "a move here is worth {}, so player 0 avoids it",
    "Star1 bound": "whatever the outcomes left are worth, the mean is {}",
    "Star2 probe": "one look at the outcomes shows that the mean is {}",
    "bounds": "before any search the outcomes' bounds show that the mean is {}",
}


@dataclass(frozen=True)
class Frame:
    """Data shared by all nodes of a tree: bounds on values, the conversion of values to player 0's return in
    the game, and the model of a player, if any."""

    lower: float
    upper: float
    shown: Callable[[float], float] = float
    opponent: Opponent | None = None


@dataclass(frozen=True, eq=False)
class TreeNode:
    """A node of a searched tree. Values are player 0's expected return.

    Attributes:
        state: the position.
        level: number of steps from the root.
        action: the move or outcome that leads to the node; None at the root.
        name: the name of that move or outcome.
        chance: its probability, if it is an outcome.
        greyed: why the node was not searched, in words; "" if it was.
    """

    state: Any
    level: int
    action: int | None
    name: str
    chance: float | None
    greyed: str
    _record: Record | None
    _visit: Visit | None
    _probed: Visit | None
    _frame: Frame = field(repr=False)

    @cached_property
    def player(self) -> int:
        return int(self.state.current_player())

    @property
    def kind(self) -> str:
        """ "max", "min", "chance" (also if a model moves), or "end"."""
        return "chance" if self._averages else _KINDS[self.player]

    @property
    def _averages(self) -> bool:
        """Whether the value is a mean: of the outcomes, or of the moves of a modelled player."""
        opponent = self._frame.opponent
        return self.player == CHANCE or (opponent is not None and self.player == opponent.player)

    def _steps(self) -> list[tuple[int, float | None]]:
        """Returns the outcomes with their probabilities, or the moves, with those of a model if it moves."""
        if self.player == CHANCE:
            return list(possible_outcomes(self.state))
        if self._averages and self._frame.opponent is not None:
            return list(self._frame.opponent.replies(self.state))
        return [(action, None) for action in self.state.legal_actions()]

    @property
    def searched(self) -> bool:
        """Whether the search gave it a value."""
        return self._visit is not None

    @property
    def value(self) -> float:
        """The search's value: exact, or a bound (see `interval`); NaN if it was not searched."""
        return math.nan if self._visit is None else self._frame.shown(self._visit.value)

    @property
    def source(self) -> Source | None:
        """The source of the value; None if the node was not searched."""
        return None if self._visit is None else self._visit.source

    @property
    def depth(self) -> int | None:
        """The decision plies to which it was searched; None if it was not."""
        return None if self._visit is None else self._visit.depth

    @property
    def window(self) -> tuple[float, float]:
        """The window (alpha, beta) with which it was searched; infinite if it was not."""
        if self._visit is None:
            return -math.inf, math.inf
        return self._frame.shown(self._visit.alpha), self._frame.shown(self._visit.beta)

    @property
    def is_probe(self) -> bool:
        """Whether its value comes from a Star2 probe."""
        return self._visit is not None and self._visit.probe

    @property
    def probes(self) -> int:
        """The number of its moves that a Star2 probe searched."""
        return len(self._seen_by_probe())

    def _seen_by_probe(self) -> list[float]:
        """Returns the values of its moves that a Star2 probe searched."""
        if self._probed is None or self._record is None:
            return []
        seen = [child.last_visit(self._probed, True) for child in self._record.children.values()]
        return [visit.value for visit in seen if visit is not None]

    @property
    def relation(self) -> str:
        """How the true value relates to `value`: "exact", "at most" or "at least"; "" if there is none."""
        return "" if self._visit is None else _relation(self._visit)

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds on the value to this depth, from everything that the search found."""
        low, high = self._frame.lower, self._frame.upper
        visit = self._visit
        if visit is not None and visit.source is not Source.PROBCUT:
            relation = _relation(visit)
            low = low if relation == "at most" else visit.value
            high = high if relation == "at least" else visit.value
        elif (values := self._seen_by_probe()) and self.player == 0:
            low = max(low, *values)
        elif values:
            high = min(high, *values)
        return self._frame.shown(low), self._frame.shown(high)

    @cached_property
    def cut(self) -> str:
        """What ended the search of this node before all its successors: "beta cut", "alpha cut",
        "Star1 bound", "Star2 probe" or "bounds"; "move filter" if moves were left out; "" if nothing did."""
        visit, record = self._visit, self._record
        if visit is None or record is None or visit.source is not Source.SEARCH:
            return ""
        searched = sum(child.last_visit(visit, False) is not None for child in record.children.values())
        if searched == len(self._steps()):
            return ""
        if not self._averages and _relation(visit) == "exact":
            return "move filter"
        if not self._averages:
            return "beta cut" if self.player == 0 else "alpha cut"
        if searched:
            return "Star1 bound"
        probed = any(
            move.last_visit(visit, True)
            for child in record.children.values()
            for move in child.children.values()
        )
        return "Star2 probe" if probed else "bounds"

    @property
    def reason(self) -> str:
        """`cut` as a sentence; "" if there was none."""
        if not self.cut or self._visit is None:
            return ""
        if self.cut == "move filter":
            return "move filter: other moves look better to the evaluator"
        alpha, beta = self.window
        if _relation(self._visit) == "at most":
            bound = f"at most {number(self.value)}, and alpha is {number(alpha)}"
        else:
            bound = f"at least {number(self.value)}, and beta is {number(beta)}"
        return f"{self.cut}: {_REASONS[self.cut].format(bound)}"

    @cached_property
    def children(self) -> tuple["TreeNode", ...]:
        """Its moves or outcomes, in the game's order, including those not searched. Empty for a node whose
        value was read off, or that ChanceProbCut cut off."""
        if self._record is None or (self._visit is None and self._probed is None):
            return ()
        if self._visit is not None and self._visit.source is not Source.SEARCH:
            return ()
        return tuple(self._child(action, chance) for action, chance in self._steps())

    def _child(self, action: int, chance: float | None) -> "TreeNode":
        assert self._record is not None
        record = self._record.children.get(action)
        visit = probed = None
        greyed = self.reason
        if record is not None and self._visit is not None:
            visit = record.last_visit(self._visit, False)
            if self._averages and any(
                move.last_visit(self._visit, True) for move in record.children.values()
            ):
                probed = self._visit
        if self._probed is not None and (self._visit is None or visit is None):
            # The chance node above probed this node: show the moves that it probed.
            visit = visit or (record and record.last_visit(self._probed, True)) or None
            if self._visit is None:
                greyed = "Star2 probe: only other moves were probed"
        state = self._record.state.child(action) if record is None else record.state
        return TreeNode(
            state=state,
            level=self.level + 1,
            action=action,
            name=name_of(undrawn(self._record.state), self.player, action),
            chance=chance,
            greyed="" if visit is not None else greyed,
            _record=record,
            _visit=visit,
            _probed=probed,
            _frame=self._frame,
        )

    @cached_property
    def best(self) -> "TreeNode | None":
        """The successor that the value comes from: the first best move, or the likeliest outcome; None if
        no successor was searched."""
        children = [child for child in self.children if child.searched]
        if self._visit is None or not children:
            return None
        if self._averages:
            return max(children, key=lambda child: child.chance or 0.0)
        return (max if self.player == 0 else min)(children, key=lambda child: child.value)

    @property
    def position(self) -> str:
        """The position as the game prints it."""
        return str(self.state).rstrip()


def _relation(visit: Visit) -> str:
    if visit.source in (Source.EVALUATOR, Source.TERMINAL):
        return "exact"
    if visit.value <= visit.alpha + CUT_TOLERANCE:
        return "at most"
    return "at least" if visit.value >= visit.beta - CUT_TOLERANCE else "exact"
