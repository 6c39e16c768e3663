"""Converts the returns of one-player games to the points that people count, if these are known."""

from copy import copy
from dataclasses import replace

from starspiel.envs.scoring import points_of
from starspiel.evaluation.result import TournamentResult


def paid(result: TournamentResult) -> str:
    """Returns the word that tables use for returns: "score" if they are points, else "return"."""
    return "return" if points_of(result.game) is None else "score"


def in_points(result: TournamentResult) -> TournamentResult:
    """Returns the result with returns as points; the result itself if the game's points are not known."""
    points = points_of(result.game) or 1.0
    if points == 1.0:
        return result
    tally = copy(result.tally)
    tally.solo = [{pair: points * paid for pair, paid in own.items()} for own in tally.solo]
    tally.returns = {
        agents: {pair: (points * raw, points * adjusted) for pair, (raw, adjusted) in own.items()}
        for agents, own in tally.returns.items()
    }
    return replace(result, tally=tally)
