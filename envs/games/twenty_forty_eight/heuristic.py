"""A heuristic for star_2048: that of OpenSpiel's 2048, on boards of any size."""

from starspiel.envs.games.fitted import core_heuristic
from starspiel.envs.games.twenty_forty_eight.rules import TwentyFortyEight, TwentyFortyEightPosition
from starspiel.envs.rules import RulesState

#: The factor by which a tile counts less than the one before it on the path.
FADE = 1.5
#: Points for each unit of the sum. Together with FADE, it is the best of a handful of values tried.
WORTH = 2.0


class TwentyFortyEightHeuristic:
    """The points so far + 2 max over paths of sum tile / 1.5^step, which favours large tiles in a corner."""

    name = "heuristic(star_2048)"
    range = None
    ranks_only = True
    by_position = True
    for_core = core_heuristic

    def __init__(self, game: TwentyFortyEight) -> None:
        self._paths = snake_paths(game.rows, game.columns)
        self._weights = [1.0]
        while len(self._weights) < game.rows * game.columns:
            self._weights.append(self._weights[-1] / FADE)

    def __call__(self, state: RulesState[TwentyFortyEightPosition], /) -> float:
        tiles = [float(1 << tile) if tile else 0.0 for tile in state.position.tiles]
        best = 0.0
        for path in self._paths:
            total = 0.0
            for cell, weight in zip(path, self._weights, strict=True):
                total += weight * tiles[cell]
            best = max(best, total)
        return state.position.score + WORTH * best


def snake_paths(rows: int, columns: int) -> list[list[int]]:
    """Returns the paths over the board, line by line in alternating directions, two from each corner."""
    paths = []
    for way in range(8):
        lines, length = (columns, rows) if way & 4 else (rows, columns)
        path = []
        for step in range(rows * columns):
            line, place = divmod(step, length)
            place = place if line % 2 == 0 else length - 1 - place
            line = lines - 1 - line if way & 1 else line
            place = length - 1 - place if way & 2 else place
            path.append(columns * place + line if way & 4 else columns * line + place)
        paths.append(path)
    return paths
