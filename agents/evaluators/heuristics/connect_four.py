"""Provides a heuristic for OpenSpiel's connect_four: the lines in which only one player has stones."""

from itertools import product

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic
from starspiel.envs.games.fitted import core_heuristic
from starspiel.envs.openspiel.game import OpenSpielGame

#: The value of a line by the number of stones missing in it; with more missing it is 1.
_WORTH = {0: 32, 1: 32, 2: 6}
_SCALE, _MOST = 512.0, 0.875


class ConnectFourHeuristic(CoreHeuristic):
    """(value of player 0's lines - player 1's) / 512, in [-0.875, 0.875].

    A line is as many squares in a row as win. Its value is 1 if it has a stone, 6 with two missing and 32
    with one missing, as long as the other player has no stone in it.
    """

    name = "heuristic(connect_four)"
    range = (-_MOST, _MOST)
    for_core = core_heuristic

    def __init__(self, game: OpenSpielGame) -> None:
        parameters = game.pyspiel_game.get_parameters()
        rows, columns, self._length = (parameters[name] for name in ("rows", "columns", "x_in_row"))
        self._lines = []
        for row, column, (down, right) in product(
            range(rows), range(columns), ((0, 1), (1, 0), (1, 1), (1, -1))
        ):
            line = [(row + down * k, column + right * k) for k in range(self._length)]
            if all(0 <= r < rows and 0 <= c < columns for r, c in line):
                self._lines.append([r * (columns + 1) + c for r, c in line])

    def __call__(self, state: pyspiel.State, /) -> float:
        board = str(state)
        lead = 0
        for line in self._lines:
            stones = [board[place] for place in line if board[place] != "."]
            if stones and all(stone == stones[0] for stone in stones):
                worth = _WORTH.get(self._length - len(stones), 1)
                lead += worth if stones[0] == "x" else -worth
        return max(-_MOST, min(_MOST, lead / _SCALE))
