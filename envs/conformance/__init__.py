"""The contract as checks that anyone can run on their own game: `check_game` says in words what is wrong.

What a search relies on and cannot see for itself: probabilities that sum to one, bounds that hold, keys that
never give two different futures the same name, states that stay as they are. Each check counts what it looked
at, so that "ok" can be weighed.
"""

from starspiel.envs.conformance.check import ClaimedGame, check_game
from starspiel.envs.conformance.game_tests import GameTests
from starspiel.envs.conformance.positions import described, draw, picture, successors, where
from starspiel.envs.conformance.report import Check, Report, Tally
from starspiel.envs.conformance.timer import Timer

__all__ = [
    "Check",
    "ClaimedGame",
    "GameTests",
    "Report",
    "Tally",
    "Timer",
    "check_game",
    "described",
    "draw",
    "picture",
    "successors",
    "where",
]
