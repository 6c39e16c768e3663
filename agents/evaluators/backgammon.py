"""A heuristic for OpenSpiel's backgammon: the pip count, as a chance to win the race."""

import math
from operator import mul

import pyspiel

from starspiel.envs.openspiel import OpenSpielGame

_POINTS = 24
_BAR_PIPS = 25
#: Pips still to go from each point: player 0 (X) moves up the board, player 1 (O) down.
_PIPS_0 = [_POINTS - point for point in range(_POINTS)]
_PIPS_1 = [point + 1 for point in range(_POINTS)]


def _weights(pips: list[int]) -> list[int]:
    # A point's four entries: exactly one checker, exactly two, exactly three, and how many more than three.
    return [weight for distance in pips for weight in (distance, 2 * distance, 3 * distance, distance)]


#: The observation of player 0: its points, the opponent's points, then bar, score and turn of each.
_WEIGHTS_0 = _weights(_PIPS_0)
_WEIGHTS_1 = _weights(_PIPS_1)
_HALF = 4 * _POINTS


class BackgammonHeuristic:
    """tanh(lead / (1.5 sqrt(pips 0 + pips 1))): the lead is player 1's pips to go less player 0's.

    The spread of a race grows with the square root of its length. Blots, primes and the dice on the table do
    not count, nor do gammons.
    """

    name = "heuristic(backgammon)"
    range = (-1.0, 1.0)

    def __init__(self, game: OpenSpielGame) -> None:
        pass

    def __call__(self, state: pyspiel.State, /) -> float:
        board = state.observation_tensor(0)
        pips_0 = sum(map(mul, _WEIGHTS_0, board)) + _BAR_PIPS * board[2 * _HALF]
        pips_1 = sum(map(mul, _WEIGHTS_1, board[_HALF:])) + _BAR_PIPS * board[2 * _HALF + 3]
        for point, more in enumerate(board[3:_HALF:4]):
            if more:
                pips_0 += 3 * _PIPS_0[point]
        for point, more in enumerate(board[_HALF + 3 : 2 * _HALF : 4]):
            if more:
                pips_1 += 3 * _PIPS_1[point]
        return math.tanh((pips_1 - pips_0) / (1.5 * math.sqrt(max(1.0, pips_0 + pips_1))))
