"""Computes a backgammon player's error rate, as GNU Backgammon and Snowie define it."""

from typing import NamedTuple

from starspiel.envs.base import CHANCE
from starspiel.envs.plays.plays import is_backgammon
from starspiel.evaluation.review.review import Review, ReviewedEvent


class ErrorRate(NamedTuple):
    """Thousandths of a point of equity that a player's moves lose, without the doubling cube.

    Attributes:
        a_decision: loss per roll of the player that left a choice: GNU Backgammon's error rate in mEMG.
        a_move: loss per roll of either player: Snowie's error rate in millipoints.
    """

    a_decision: float
    a_move: float

    def __str__(self) -> str:
        return (
            f"{self.a_decision:.1f} mEMG a decision (as GNU Backgammon), {self.a_move:.1f} a move (as Snowie)"
        )


def error_rate(review: Review, player: int) -> ErrorRate | None:
    """Returns the error rate by the reference; None if the game is not backgammon or has no decision."""
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
    """Returns the moves after the start position, grouped by roll; a double makes two moves of one group."""
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
