"""Provides agents: bots, the searches that choose their moves, and the evaluators that value positions."""

from starspiel.agents.bot import Bot
from starspiel.agents.bots import MCTSBot, RandomBot
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.roster import make_bot, register_bot, registered_agents
from starspiel.envs.spec import Spec, parse_spec

__all__ = [
    "Bot",
    "MCTSBot",
    "RandomBot",
    "SearchBot",
    "Spec",
    "make_bot",
    "parse_spec",
    "register_bot",
    "registered_agents",
]
