"""Provides `Entrant`, an agent of a tournament: its name and the source of its bots."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starspiel.agents.factories import made_by
from starspiel.agents.from_openspiel import bot_of, is_player, maker_of
from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.roster import bot_maker, registered_here
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.spec import parse_spec
from starspiel.envs.trust import foreign_names
from starspiel.evaluation.contents import of_object
from starspiel.evaluation.identity import of_agent
from starspiel.evaluation.play.seat import Player
from starspiel.evaluation.seating import Seating


@dataclass(frozen=True, slots=True)
class Entrant:
    """An agent of a tournament: its name in tables and seeds, and the source of its bots.

    Attributes:
        source: a spec, a factory, or an object that can play (see `is_player` in agents/from_openspiel.py).
    """

    name: str
    source: Any

    def identity(self, game: Game) -> str:
        """Returns the agent's identity in a store; see evaluation/identity.py."""
        if isinstance(self.source, str):
            return of_agent(self.source, game)
        return of_object(self.source)

    def maker(self, game: Game) -> Callable[[int, int], Player]:
        """Returns a function (seat, seed) that makes a new bot for one game.

        Raises StarspielError if the spec names no known agent.
        """
        if isinstance(self.source, str):
            return bot_maker(self.source, game)
        if is_player(self.source):
            return maker_of(self.source, game)
        return lambda seat, seed: bot_of(made_by(self.source, game, seat, seed), game, seat, seed)

    @property
    def is_foreign(self) -> bool:
        """Whether it is external: its spec names a module or program outside starspiel and OpenSpiel."""
        return isinstance(self.source, str) and bool(foreign_names([self.source]))

    @property
    def is_named(self) -> bool:
        """Whether any process can make it from its spec; otherwise it is a Python object of this process."""
        return isinstance(self.source, str) and parse_spec(self.source).name not in registered_here()

    def sits_apart(self, seating: Seating) -> bool:
        """Returns whether it plays in its own process: if it is external, limited, or `seating` demands it.

        Raises StarspielError if it is a Python object, which plays in the referee's process, and has limits.
        """
        if self.is_foreign:
            return True
        if not self.is_named:
            if seating.limits != HardLimits():
                raise StarspielError(
                    f"limits need an agent in its own process, and {self.name} is a Python object, which "
                    "plays in the referee's; give it as package.module:factory."
                )
            return False
        return seating.apart or seating.limits != HardLimits()

    @property
    def has_clock(self) -> bool:
        """Whether its spec limits its seconds per move."""
        return isinstance(self.source, str) and "seconds" in parse_spec(self.source).params
