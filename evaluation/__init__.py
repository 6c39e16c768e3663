"""Who is better: tournaments in pairs with common dice, ratings with honest intervals."""

from starspiel.evaluation.dice import Dice
from starspiel.evaluation.job import Entrant
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.pairing import Pair
from starspiel.evaluation.ratings import Ratings, rate
from starspiel.evaluation.record import Fault, GameRecord, PairRecord
from starspiel.evaluation.result import Standing, TournamentResult
from starspiel.evaluation.sprt import Sprt
from starspiel.evaluation.stats import PairCounts
from starspiel.evaluation.store import Store
from starspiel.evaluation.tournament import Progress, tournament

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
