"""Provides `AgentTotals`, sums over an agent's games."""

from collections import Counter
from dataclasses import dataclass, field

from starspiel.evaluation.play.record import Cost


@dataclass
class AgentTotals:
    """Sums over one agent's games.

    Attributes:
        games: number of games; a game counts once for each seat that the agent held.
        wins, draws, losses: with more than two players, or two without zero sum, games won alone, won with
            others, and not won.
        points: a win counts 1, a draw ½ or a shared win its share; in one-player games the sum of returns.
        cost: the total cost of its moves.
        voids: pairs that were void by this agent's fault and played again.
        forfeits: kind of fault -> number of games lost by it.
        won_by_forfeit: games won by the opponent's fault.
        last_fault: the message of the last forfeit, in the order of the pairs' numbers; "" without any.
        last_fault_place: the place of that game in the schedule.
        faults, void_faults: (kind, message) -> how often it forfeited a game, or made a first attempt void.
    """

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: float = 0.0
    cost: Cost = field(default_factory=Cost)
    voids: int = 0
    forfeits: Counter[str] = field(default_factory=Counter)
    won_by_forfeit: int = 0
    last_fault: str = ""
    last_fault_place: tuple[int, ...] = ()
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    void_faults: Counter[tuple[str, str]] = field(default_factory=Counter)
