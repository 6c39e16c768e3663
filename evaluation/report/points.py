"""Returns of one-player games as people count them: as points, if these are known."""

from dataclasses import replace

from starspiel.envs.scoring import points_of
from starspiel.evaluation.result import TournamentResult


def paid(result: TournamentResult) -> str:
    """What the games pay, as tables call it: "score" if that is points, else "return"."""
    return "return" if points_of(result.game) is None else "score"


def in_points(result: TournamentResult) -> TournamentResult:
    """The result with returns as points, if the points of the game are known; otherwise itself."""
    points = points_of(result.game) or 1.0
    return result if points == 1.0 else replace(result, tally=result.tally.in_points(points))
