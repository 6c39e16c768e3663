"""Models of the other player: what a search takes its opponent to do."""

from starspiel.agents.opponents.model import Opponent
from starspiel.agents.opponents.roster import as_opponent

__all__ = ["Opponent", "as_opponent"]
