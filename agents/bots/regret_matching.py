"""Matches regrets for the two players at one node of simultaneous moves.

Each player plays moves in proportion to the regret of not having played them (Hart & Mas-Colell 2000).
Regrets do not fall below 0, and later strategies weigh more in the averages (regret matching plus: Tammelin
2014). The average strategies approach an equilibrium of the matrix game.
"""

import random
from collections.abc import Callable, Sequence
from math import sqrt

#: With probability sqrt(EXPLORED / (EXPLORED + visits)), one or both players explore.
EXPLORED = 4.0
_EXPLORERS = (True, False), (False, True), (True, True)


class RegretMatching:
    """The regrets and strategies of both players at one node.

    Attributes:
        moves: the moves of player 0 and of player 1.
    """

    __slots__ = ("_averages", "_regrets", "_strategies", "_untried", "_visits", "moves")

    def __init__(self, moves: Sequence[Sequence[int]]) -> None:
        self.moves = moves
        self._visits = 0
        self._regrets = [[0.0] * len(own) for own in moves]
        self._averages = [[0.0] * len(own) for own in moves]
        self._strategies = [[1.0 / len(own)] * len(own) for own in moves]
        self._untried = [list(range(len(own))) for own in moves]

    def choose(self, draw: random.Random) -> tuple[int, int]:
        """Returns the indices of the moves to try next: first each once, then by strategy and exploration."""
        explores = False, False
        if draw.random() < sqrt(EXPLORED / (self._visits + EXPLORED)):
            explores = draw.choice(_EXPLORERS)
        row, column = map(self._chosen, (0, 1), explores, (draw, draw))
        return row, column

    def _chosen(self, player: int, explores: bool, draw: random.Random) -> int:
        strategy, untried = self._strategies[player], self._untried[player]
        if untried:
            return untried.pop(draw.randrange(len(untried)))
        if explores:
            return draw.randrange(len(strategy))
        return draw.choices(range(len(strategy)), strategy)[0]

    def learn(self, row: int, column: int, worth: Callable[[int, int], float | None]) -> None:
        """Updates regrets and averages after a pair of moves has been tried.

        Args:
            worth: player 0's mean return by a row and a column; None if that pair has not been tried.
        """
        self._visits += 1
        got = worth(row, column)
        if got is None:
            return
        answers = (
            [worth(other, column) for other in range(len(self.moves[0]))],
            [worth(row, other) for other in range(len(self.moves[1]))],
        )
        for player, sign in ((0, 1.0), (1, -1.0)):
            regrets, average = self._regrets[player], self._averages[player]
            for move, probability in enumerate(self._strategies[player]):
                average[move] += self._visits * probability
                if (value := answers[player][move]) is not None:
                    regrets[move] = max(0.0, regrets[move] + sign * (value - got))
            self._strategies[player] = _normalised(regrets)

    def average(self, player: int) -> list[float]:
        """Returns a player's average strategy: the probability of each move."""
        return _normalised(self._averages[player])


def _normalised(weights: Sequence[float]) -> list[float]:
    """Returns the weights normalised to sum to 1; equal shares if all are 0."""
    total = sum(weights)
    return [each / total for each in weights] if total > 0.0 else [1.0 / len(weights)] * len(weights)
