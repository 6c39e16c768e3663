"""The baselines that search agents are measured against."""

from starspiel.agents.baselines.greedy import greedy
from starspiel.agents.baselines.mcts import MCTSBot
from starspiel.agents.baselines.optimal import optimal
from starspiel.agents.baselines.random import RandomBot

__all__ = ["MCTSBot", "RandomBot", "greedy", "optimal"]
