"""Provides the baselines that search agents are measured against."""

from starspiel.agents.bots.greedy import greedy
from starspiel.agents.bots.mcts import MCTSBot, mcts
from starspiel.agents.bots.optimal import optimal
from starspiel.agents.bots.random import RandomBot
from starspiel.agents.bots.uct import UCTBot

__all__ = ["MCTSBot", "RandomBot", "UCTBot", "greedy", "mcts", "optimal"]
