"""A heuristic for OpenSpiel's maedn with two players: the lead in fields walked."""

import pyspiel

from starspiel.agents.evaluators.heuristics.base import CoreHeuristic
from starspiel.envs.games.fitted import core_heuristic
from starspiel.envs.openspiel.game import OpenSpielGame

# Where the 40 common fields, and the four goal fields of each of four seats, stand in the drawing.
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
_ROW = 22  # Characters of a drawn row, line feed included.
_DRAWN = 11 * _ROW
#: The greatest sum of fields walked: all four pieces in the goal.
_FULL = 41 + 42 + 43 + 44


def fields_walked(seat: int) -> dict[int, int]:
    """Fields walked (1 to 44) by a piece of the seat, by its place in the drawing; none at home."""
    route = _COMMON[10 * seat :] + _COMMON[: 10 * seat] + _GOALS[seat]
    return {row * _ROW + column: walked for walked, (column, row) in enumerate(route, start=1)}


class MaednHeuristic(CoreHeuristic):
    """(fields walked by player 0's pieces - by player 1's) / 170, a piece at home having walked none."""

    name = "heuristic(maedn)"
    for_core = core_heuristic

    def __init__(self, game: OpenSpielGame) -> None:
        opposite = game.pyspiel_game.get_parameters()["twoPlayersOpposite"]
        self._walked = (fields_walked(0), fields_walked(2 if opposite else 1))

    def __call__(self, state: pyspiel.State, /) -> float:
        text = str(state)
        return (self._progress(text, 0) - self._progress(text, 1)) / _FULL

    def _progress(self, text: str, player: int) -> int:
        piece = "12"[player]
        walked = self._walked[player]
        total = 0
        place = text.find(piece, 0, _DRAWN)
        while place >= 0:
            total += walked.get(place, 0)
            place = text.find(piece, place + 1, _DRAWN)
        return total
