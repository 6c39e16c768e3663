"""`seated`: keeps bots of every kind from moving for another player than theirs."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pyspiel

from starspiel.agents.bot import ASKED, Bot, check_seat
from starspiel.agents.factories import AtDecisionsOnly


def seated(bot: Any, seat: int | None) -> Any:
    """Returns the bot, which from now on raises StarspielError on the turn of another player than `seat`;
    of nobody if it is None. Simultaneous moves are everybody's turn.

    A user's object keeps what else it can do: its methods are replaced on the object alone, or by a subclass
    if it has no room for attributes. A C++ bot, whose methods cannot be, is wrapped.
    """
    if type(bot).__module__.startswith("pyspiel") and seat is not None:
        bot = AtDecisionsOnly(bot)
    if isinstance(bot, Bot | AtDecisionsOnly):
        bot.seat = seat
        return bot
    if not hasattr(bot, "__dict__"):
        kind: Any = getattr(type(bot), "_unguarded", type(bot))
        object.__setattr__(bot, "__class__", kind if seat is None else _guarded_kind(kind, seat))
        return bot
    for name in ASKED:
        call = getattr(bot, name, None)
        if isinstance(call, _Guarded):
            vars(bot)[name] = call = call.call
        # OpenSpiel's C++ calls what is set here instead of its own default, which would call it again.
        elif getattr(type(bot), name, None) is getattr(pyspiel.Bot, name):
            continue
        if callable(call) and seat is not None:
            vars(bot)[name] = _Guarded(call, seat)  # which a frozen object allows, too
    return bot


@cache
def _guarded_kind(kind: type, seat: int) -> type:
    """A subclass of a class with `__slots__` whose objects are called on the turn of a seat alone."""

    def guarded(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda bot, *given, **named: _Guarded(partial(call, bot), seat)(*given, **named)

    found = {name: getattr(kind, name, None) for name in ASKED}
    own = {name: call for name, call in found.items() if call and call is not getattr(pyspiel.Bot, name)}
    body = {"__slots__": (), "_unguarded": kind, **{name: guarded(call) for name, call in own.items()}}
    return type(kind)(kind.__name__, (kind,), body)


class _Guarded:
    """A method that is called on the turn of a seat alone."""

    def __init__(self, call: Callable[..., Any], seat: int) -> None:
        self.call, self.seat = call, seat

    def __call__(self, state: Any, *given: Any, **named: Any) -> Any:
        check_seat(state, self.seat)
        return self.call(state, *given, **named)
