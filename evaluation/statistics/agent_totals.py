"""Sums over an agent's games."""

from collections import Counter
from dataclasses import dataclass, field

from starspiel.evaluation.play.record import Cost


@dataclass
class AgentTotals:
    """Sums over one agent's games.

    Attributes:
        games: one for each seat of a game that it sat in.
        wins, draws, losses: with more than two players, games won alone, won with others, and not won.
        points: a win counts 1, a draw ½ or its share; in one-player games the sum of returns.
        cost: what its moves cost.
        voids: pairs that were void by this agent's fault and played again.
        forfeits: games lost by a fault, by its kind.
        won_by_forfeit: games won by the opponent's fault.
        last_fault: the message of the last of these faults, by the pairs' numbers; empty without any.
        last_fault_place: the place of its game in the schedule.
        faults, void_faults: how often each (kind, message) forfeited a game, or made a first attempt void.
    """

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: float = 0.0
    returns: float = 0.0
    cost: Cost = field(default_factory=Cost)
    voids: int = 0
    forfeits: Counter[str] = field(default_factory=Counter)
    won_by_forfeit: int = 0
    last_fault: str = ""
    last_fault_place: tuple[int, ...] = ()
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    void_faults: Counter[tuple[str, str]] = field(default_factory=Counter)
