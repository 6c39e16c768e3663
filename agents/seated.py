"""`seated`: keeps bots of every kind from moving for another player than theirs."""

from collections.abc import Callable
from typing import Any

import pyspiel

from starspiel.agents.bot import ASKED, Bot, check_seat
from starspiel.agents.factories import AtDecisionsOnly


def seated(bot: Any, seat: int | None) -> Any:
    """Returns the bot, which from now on raises StarspielError on the turn of another player than `seat`;
    of nobody if it is None. Simultaneous moves are everybody's turn.

    A user's object keeps what else it can do: its methods are replaced on the object alone; one without room
    for attributes stays as it is. A C++ bot, whose methods cannot be replaced, is wrapped.
    """
    if type(bot).__module__.startswith("pyspiel") and seat is not None:
        bot = AtDecisionsOnly(bot)
    if isinstance(bot, Bot | AtDecisionsOnly):
        bot.seat = seat
        return bot
    for name in ASKED if hasattr(bot, "__dict__") else ():
        call = getattr(bot, name, None)
        if isinstance(call, _Guarded):
            vars(bot)[name] = call = call.call
        # OpenSpiel's C++ calls what is set here instead of its own default, which would call it again.
        elif getattr(type(bot), name, None) is getattr(pyspiel.Bot, name):
            continue
        if callable(call) and seat is not None:
            vars(bot)[name] = _Guarded(call, seat)  # which a frozen object allows, too
    return bot


class _Guarded:
    """A method that is called on the turn of a seat alone."""

    def __init__(self, call: Callable[..., Any], seat: int) -> None:
        self.call, self.seat = call, seat

    def __call__(self, state: Any, *given: Any, **named: Any) -> Any:
        check_seat(state, self.seat)
        return self.call(state, *given, **named)
