"""Models the other player in a search."""

from starspiel.agents.opponents.model import Opponent
from starspiel.agents.opponents.roster import as_opponent

__all__ = ["Opponent", "as_opponent"]
