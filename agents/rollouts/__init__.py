"""Provides rollouts, which compare moves by luck-adjusted games played on from each."""

from starspiel.agents.rollouts.bot import RolloutBot
from starspiel.agents.rollouts.continuation import Continuation, Trial
from starspiel.agents.rollouts.result import RolledMove, RolloutResult
from starspiel.agents.rollouts.rollout import roll_out

__all__ = ["Continuation", "RolledMove", "RolloutBot", "RolloutResult", "Trial", "roll_out"]
