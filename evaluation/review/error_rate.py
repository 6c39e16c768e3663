"""How much a backgammon player loses a decision, as GNU Backgammon and Snowie count it."""

from typing import NamedTuple

from starspiel.envs.base import CHANCE
from starspiel.envs.plays.plays import is_backgammon
from starspiel.evaluation.review.review import Review, ReviewedEvent


class ErrorRate(NamedTuple):
    """Thousandths of a point of equity that a player's moves lose, without the doubling cube.

    Attributes:
        a_decision: for each throw of the player's that left a choice: GNU Backgammon's error rate in mEMG.
        a_move: for each throw of either player: Snowie's error rate in millipoints.
    """

    a_decision: float
    a_move: float

    def __str__(self) -> str:
        return (
            f"{self.a_decision:.1f} mEMG a decision (as GNU Backgammon), {self.a_move:.1f} a move (as Snowie)"
        )


def error_rate(review: Review, player: int) -> ErrorRate | None:
    """The error rate by the reference; None in other games than backgammon, and without a decision."""
    if not is_backgammon(review.start):
        return None
    turns = _turns(review)
    own = [turn for turn in turns if turn[0].event.player == player]
    decisions = sum(any(event.loss is not None for event in turn) for turn in own)
    if not decisions:
        return None
    lost = 1000 * review.lost(player)
    return ErrorRate(lost / decisions, lost / len(turns))


def _turns(review: Review) -> list[list[ReviewedEvent]]:
    """The moves after the start position by throws: those of a double are two, one after the other."""
    turns: list[list[ReviewedEvent]] = []
    thrown = True
    for event in review.events[len(review.game.start) :]:
        if event.event.player == CHANCE:
            thrown = True
        elif thrown or turns[-1][0].event.player != event.event.player:
            turns.append([event])
            thrown = False
        else:
            turns[-1].append(event)
    return turns
