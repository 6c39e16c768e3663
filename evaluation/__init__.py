"""Who is better: tournaments in pairs with common dice, ratings with honest intervals."""

from starspiel.evaluation.dice import Dice
from starspiel.evaluation.match import Entrant, Fault, GameRecord, PairRecord
from starspiel.evaluation.pairing import Pair
from starspiel.evaluation.ratings import Ratings, rate
from starspiel.evaluation.result import Standing, TournamentResult
from starspiel.evaluation.stats import PairCounts
from starspiel.evaluation.tournament import Progress, tournament

__all__ = [
    "Dice",
    "Entrant",
    "Fault",
    "GameRecord",
    "Pair",
    "PairCounts",
    "PairRecord",
    "Progress",
    "Ratings",
    "Standing",
    "TournamentResult",
    "rate",
    "tournament",
]
