"""Runs tournaments of paired games on common dice, with ratings and confidence intervals."""

from starspiel.agents.hard_limits import HardLimits
from starspiel.evaluation.entrant import Entrant
from starspiel.evaluation.play.dice import Dice
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Fault, GameRecord, PairRecord
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.run import Progress
from starspiel.evaluation.standing import Standing
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.ratings import Ratings, rate
from starspiel.evaluation.statistics.sprt import Sprt
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

__all__ = [
    "Dice",
    "Entrant",
    "Fault",
    "GameRecord",
    "HardLimits",
    "Pair",
    "PairCounts",
    "PairRecord",
    "Progress",
    "Ratings",
    "Sprt",
    "Standing",
    "Store",
    "TournamentResult",
    "rate",
    "tournament",
]
