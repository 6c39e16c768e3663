"""Provides the exact values of a solved game as an evaluator."""

from typing import Any

from starspiel.agents.solve.solution import Solution, solution_of
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, shown
from starspiel.envs.named import goes_by


class SolutionEvaluator:
    """Player 0's expected return under perfect play; every player's in games whose values are vectors.

    Args:
        file: a file that `starspiel solve` wrote, or a Solution; it must be for this game.

    Attributes:
        name: contains the file, or a hash of values in memory, so that stores can tell luck evaluators apart.
    """

    by_position = True

    def __init__(self, game: Game, file: str | Solution) -> None:
        if isinstance(file, Solution):
            if not goes_by(game, file.game):
                raise SpecError(f"the solution is that of {file.game}, the game to be played is {game.name}.")
            self.solution = file
        elif isinstance(file, str):
            self.solution = solution_of(game, file)
        else:
            raise SpecError(f"expected a file written by `starspiel solve`, got {shown(file)}.")
        self._game, self._file = game, file
        self.range = game.utility_range

    @property
    def name(self) -> str:
        file = self._file
        return f"solution(file={file})" if isinstance(file, str) else f"solution({file.digest})"

    def __call__(self, state: Any, /) -> Any:
        return self.solution(self._game, state)
