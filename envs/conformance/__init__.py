"""Checks whether games meet the contract of `envs/base.py`: `check_game` reports what is wrong."""

from starspiel.envs.conformance.check import check_game
from starspiel.envs.conformance.game_tests import GameTests
from starspiel.envs.conformance.positions import described, draw, in_words, picture, successors, where
from starspiel.envs.conformance.report import Check, Report, Tally
from starspiel.envs.conformance.timer import Timer

__all__ = [
    "Check",
    "GameTests",
    "Report",
    "Tally",
    "Timer",
    "check_game",
    "described",
    "draw",
    "in_words",
    "picture",
    "successors",
    "where",
]
