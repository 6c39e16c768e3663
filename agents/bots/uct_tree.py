"""Defines the tree of UCT, and the statistics of its root."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starspiel.envs.base import TERMINAL


@dataclass(slots=True, eq=False)
class Node:
    """An action or an outcome, with its statistics. In vector games values are vectors (`uct_vectors`).

    Attributes:
        visits: number of simulations that went through it.
        available: number of simulations in which it was available at the parent.
        total: sum of returns, collected from the parent on, of the player who decided there; player 0's for
            joint moves.
        children: the nodes that follow, by (player, action); the player of listed outcomes is CHANCE.
        moves: the legal actions or (outcome, probability) pairs after it; None if they depend on draws.
        mover: the player to move after it, if `moves` is known.
        proven: player 0's return under best play from here, or every player's, if it is known.
    """

    visits: int = 0
    available: int = 0
    total: float = 0.0
    children: dict[tuple[int, int], "Node"] = field(default_factory=dict)
    moves: Sequence[Any] | None = None
    mover: int = TERMINAL
    proven: Any = None

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else 0.0


@dataclass(frozen=True, slots=True)
class Tried:
    """The statistics of an action at the root.

    Attributes:
        visits: number of simulations that tried it.
        mean: their mean return from the root on: player 0's, or in vector games that of the player to move.
        proven: the return under best play if it is known; otherwise None.
    """

    visits: int
    mean: float
    proven: float | None


def best_tried(found: Mapping[int, Tried], sign: float) -> int:
    """Returns the most visited action, or a proven one of at least the same value; of equal ones, the first.
    `sign` is -1 if the player at the root minimises, else 1.
    """
    values = {action: sign * each.proven for action, each in found.items() if each.proven is not None}
    proven = max(values, key=values.__getitem__, default=None)
    open_ones = [action for action, each in found.items() if each.proven is None]
    most = max(open_ones, key=lambda a: (found[a].visits, sign * found[a].mean), default=None)
    if most is None or (proven is not None and values[proven] >= sign * found[most].mean):
        assert proven is not None, "a search tries an action"
        return proven
    return most
