"""Rollouts: games played on from a position, less their luck, until it is known which move is best."""

from starspiel.agents.rollouts.bot import RolloutBot
from starspiel.agents.rollouts.continuation import Continuation, Trial
from starspiel.agents.rollouts.result import RolledMove, RolloutResult
from starspiel.agents.rollouts.rollout import roll_out

__all__ = ["Continuation", "RolledMove", "RolloutBot", "RolloutResult", "Trial", "roll_out"]
