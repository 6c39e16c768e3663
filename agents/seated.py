"""Provides `seated`, which keeps bots of every kind from moving on another player's turn."""

from contextlib import suppress
from functools import cache
from typing import Any

import pyspiel

from starspiel.agents.bot import ASKED, Bot, check_seat
from starspiel.agents.factories import AtDecisionsOnly


def seated(bot: Any, seat: int | None) -> Any:
    """Returns the bot, which from now on raises StarspielError on the turn of another player than `seat`. If
    `seat` is None, it never does. Simultaneous moves are everybody's turn.

    A C++ bot, whose methods cannot be replaced, is wrapped. The class of a user's object is replaced by a
    subclass, also for its copies. Two kinds are not guarded: objects whose class is built in or cannot be
    subclassed, and a `step` that is set on the object alone.
    """
    if type(bot).__module__.startswith("pyspiel") and seat is not None:
        bot = AtDecisionsOnly(bot)
    if isinstance(bot, Bot | AtDecisionsOnly):
        bot.seat = seat
        return bot
    kind: Any = getattr(type(bot), "_unguarded", type(bot))
    with suppress(TypeError):
        object.__setattr__(bot, "__class__", kind if seat is None else _guarded(kind, seat))
    return bot


@cache
def _guarded(kind: Any, seat: int) -> Any:
    """Returns a subclass whose methods raise StarspielError on the turn of another player than `seat`."""

    def on_turn(call: Any) -> Any:
        def asked(bot: Any, state: Any, *given: Any, **named: Any) -> Any:
            check_seat(state, seat)
            return call(bot, state, *given, **named)

        return asked

    def reduced(bot: Any, protocol: Any) -> Any:
        make, given, *rest = kind.__reduce_ex__(bot, protocol)
        return _remade, (seat, make, [kind if each is type(bot) else each for each in given]), *rest

    found = {name: getattr(kind, name) for name in ASKED if hasattr(kind, name)}
    # OpenSpiel's C++ code calls what is set here instead of its own default, which would call it again.
    own = {name: on_turn(call) for name, call in found.items() if call is not getattr(pyspiel.Bot, name)}
    body = {"__slots__": (), "__module__": kind.__module__, "_unguarded": kind, "__reduce_ex__": reduced}
    return type(kind)(kind.__name__, (kind,), body | own)


def _remade(seat: int, make: Any, given: Any) -> Any:
    return seated(make(*given), seat)
