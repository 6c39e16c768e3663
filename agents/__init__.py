"""Who plays: search, evaluators, bots and baselines."""

from starspiel.agents.baselines import MCTSBot, RandomBot
from starspiel.agents.bots import Bot, SearchBot
from starspiel.agents.env_agent import EnvAgent
from starspiel.agents.roster import Agent, agents, make_bot, register_bot
from starspiel.agents.spec import Spec, parse_spec

__all__ = [
    "Agent",
    "Bot",
    "EnvAgent",
    "MCTSBot",
    "RandomBot",
    "SearchBot",
    "Spec",
    "agents",
    "make_bot",
    "parse_spec",
    "register_bot",
]
