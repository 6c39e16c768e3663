"""Provides a heuristic for OpenSpiel's backgammon: the pip count, and the risk of blots."""

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic
from starspiel.envs.games.fitted import core_heuristic

_POINTS = 24
_BAR_PIPS = 25
#: The share of the pips lost by a hit that each exposed blot costs.
_RISK = 0.25
#: The size of a player's block of features in player 0's observation, with four features per point.
_HALF = 4 * _POINTS


class BackgammonHeuristic(CoreHeuristic):
    """(player 1's effective pips - player 0's) / both; 1 once player 0 has borne off.

    Effective pips are the pips to go, plus, for every blot that an opposing checker has still to pass, a
    quarter of what a hit would cost. Primes, gammons and the dice on the table do not count.
    """

    name = "heuristic(backgammon)"
    for_core = core_heuristic

    def __call__(self, state: pyspiel.State, /) -> float:
        board = state.observation_tensor(0)
        own = [_checkers(board, 4 * point) for point in range(_POINTS)]
        other = [_checkers(board, _HALF + 4 * point) for point in range(_POINTS)]
        own_bar, other_bar = board[2 * _HALF], board[2 * _HALF + 3]
        # Player 0 moves up the board. From player 1's side, the same board is turned round.
        own_pips = _effective_pips(own, own_bar, other, other_bar)
        other_pips = _effective_pips(other[::-1], other_bar, own[::-1], own_bar)
        return (other_pips - own_pips) / (other_pips + own_pips)


def _checkers(board: list[float], at: int) -> float:
    # A point's four features: exactly one checker, exactly two, exactly three, and how many more than three.
    more = board[at + 3]
    return 3 + more if more else board[at] + 2 * board[at + 1] + 3 * board[at + 2]


def _effective_pips(own: list[float], own_bar: float, other: list[float], other_bar: float) -> float:
    """Returns the effective pips of the player who moves up the board."""
    furthest = _POINTS if other_bar else max((point for point in range(_POINTS) if other[point]), default=-1)
    pips = _BAR_PIPS * own_bar
    for point, checkers in enumerate(own):
        if checkers:
            to_go = _POINTS - point
            pips += checkers * to_go
            if checkers == 1 and point < furthest:
                pips += _RISK * (_BAR_PIPS - to_go)
    return pips
