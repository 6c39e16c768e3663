"""Provides a heuristic for OpenSpiel's maedn: the lead in fields walked, or the winning chances of more
players.

With three or four players, the sum of fields alone plays worse than random: to win, a player must bring one
piece home after the other, and keep the others out of reach.
"""

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic, expected_returns
from starspiel.envs.games.fitted import core_heuristic
from starspiel.envs.openspiel.game import OpenSpielGame

# Positions in the drawing of the 40 common fields, and of the four goal fields of each of the four seats.
_COMMON: list[tuple[int, int]] = [
    *[(0, 4), (2, 4), (4, 4), (6, 4), (8, 4), (8, 3), (8, 2), (8, 1), (8, 0), (10, 0)],
    *[(12, 0), (12, 1), (12, 2), (12, 3), (12, 4), (14, 4), (16, 4), (18, 4), (20, 4), (20, 5)],
    *[(20, 6), (18, 6), (16, 6), (14, 6), (12, 6), (12, 7), (12, 8), (12, 9), (12, 10), (10, 10)],
    *[(8, 10), (8, 9), (8, 8), (8, 7), (8, 6), (6, 6), (4, 6), (2, 6), (0, 6), (0, 5)],
]
_GOALS = [
    [(2, 5), (4, 5), (6, 5), (8, 5)],
    [(10, 1), (10, 2), (10, 3), (10, 4)],
    [(18, 5), (16, 5), (14, 5), (12, 5)],
    [(10, 9), (10, 8), (10, 7), (10, 6)],
]
_ROW = 22  # Characters of a drawn row, including the line feed.
_DRAWN = 11 * _ROW
#: The greatest sum of fields walked: all four pieces in the goal.
_FULL = 41 + 42 + 43 + 44


def fields_walked(seat: int) -> dict[int, int]:
    """Returns the fields walked (1 to 44) by the seat's piece, by its place in the drawing; none at home."""
    route = _COMMON[10 * seat :] + _COMMON[: 10 * seat] + _GOALS[seat]
    return {row * _ROW + column: walked for walked, (column, row) in enumerate(route, start=1)}


#: The last field of the common track, in fields walked; goal fields follow.
_TRACK = 40


class MaednHeuristic(CoreHeuristic):
    """(fields walked by player 0's pieces - by player 1's) / 170; a piece at home has walked none.

    With more players, values are the returns of winning chances in proportion to exp(score). A piece at field
    w of the track adds w / 100 + w^2 / 2000 to its player's score, less w / 200 if it is exposed: if another
    player's piece, or one about to leave home, stands at most six fields behind it. In the goal it adds 1 + w
    / 100.
    """

    name = "heuristic(maedn)"
    for_core = core_heuristic

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self._players = game.num_players
        opposite = game.pyspiel_game.get_parameters()["twoPlayersOpposite"]
        seats = range(self._players) if self._players > 2 else (0, 2 if opposite else 1)
        self._walked = [fields_walked(seat) for seat in seats]

    def __call__(self, state: pyspiel.State, /) -> float | tuple[float, ...]:
        text = str(state)
        if self._players > 2:
            return self._returns(text)
        return (self._progress(text, 0) - self._progress(text, 1)) / _FULL

    def _progress(self, text: str, player: int) -> int:
        return sum(self._pieces(text, player))

    def _pieces(self, text: str, player: int) -> list[int]:
        """Returns the fields walked by each piece of a player."""
        piece, walked = "1234"[player], self._walked[player]
        pieces = []
        place = text.find(piece, 0, _DRAWN)
        while place >= 0:
            pieces.append(walked.get(place, 0))
            place = text.find(piece, place + 1, _DRAWN)
        return pieces

    def _returns(self, text: str) -> tuple[float, ...]:
        pieces = [self._pieces(text, player) for player in range(self._players)]
        places = [
            {(10 * seat + walked - 1) % _TRACK for walked in own if 1 <= walked <= _TRACK}
            for seat, own in enumerate(pieces)
        ]
        scores = []
        for seat, own in enumerate(pieces):
            others = [other for other in range(self._players) if other != seat]
            behind = set().union(*(places[other] for other in others))
            starts = {10 * other for other in others if 0 in pieces[other]}
            score = 20 * sum(own)
            for walked in own:
                if walked > _TRACK:
                    score += 2000
                elif walked > 0:
                    score += walked * walked
                    place = (10 * seat + walked - 1) % _TRACK
                    if place in starts or any((place - die) % _TRACK in behind for die in range(1, 7)):
                        score -= 10 * walked
            scores.append(score / 2000)
        return expected_returns(scores, won=self._players - 1.0)
