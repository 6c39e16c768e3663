"""Argument types for names of games and agents, which let shells complete these names."""

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from starspiel.agents.roster import registered_agents
from starspiel.envs.games import GAMES
from starspiel.envs.openspiel.game import qualifying_games

if TYPE_CHECKING:
    GameName = str
    AgentName = str
else:
    _OTHERWISE = Parameter(show_choices=False)
    #: A game string; most start with one of these names.
    GameName = Annotated[Literal[tuple(dict.fromkeys((*GAMES, *qualifying_games())))] | str, _OTHERWISE]
    #: A spec of an agent; most start with one of these names.
    AgentName = Annotated[Literal[tuple(registered_agents())] | str, _OTHERWISE]
