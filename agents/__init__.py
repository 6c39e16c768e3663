"""Who plays: search, evaluators, bots and baselines."""

from starspiel.agents.baselines import MCTSBot, RandomBot
from starspiel.agents.bots import Bot, SearchBot
from starspiel.agents.env_agent import EnvAgent
from starspiel.agents.roster import Agent, make_bot, register_bot, registered_agents
from starspiel.envs.spec import Spec, parse_spec

__all__ = [
    "Agent",
    "Bot",
    "EnvAgent",
    "MCTSBot",
    "RandomBot",
    "SearchBot",
    "Spec",
    "make_bot",
    "parse_spec",
    "register_bot",
    "registered_agents",
]
