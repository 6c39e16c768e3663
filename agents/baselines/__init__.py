"""The baselines that search agents are measured against."""

from starspiel.agents.baselines.greedy import greedy
from starspiel.agents.baselines.mcts import MCTSBot, mcts
from starspiel.agents.baselines.optimal import optimal
from starspiel.agents.baselines.random import RandomBot
from starspiel.agents.baselines.uct import UCTBot

__all__ = ["MCTSBot", "RandomBot", "UCTBot", "greedy", "mcts", "optimal"]
