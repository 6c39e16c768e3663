"""What an agent did wrong in a game, in words, and the record of a game that ended by it."""

import signal
from array import array
from collections.abc import Sequence
from typing import Any

from starspiel.envs.base import Game, utility_sum
from starspiel.envs.errors import SeatError, among, first_line
from starspiel.evaluation.play.course import retraced
from starspiel.evaluation.play.record import Fault, GameRecord, Moves

#: Longer messages of bots are cut off.
_LONGEST_MESSAGE = 300


class FaultError(Exception):
    """Ends a game: the seat at fault has lost it."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


def fault_of(seat: int, error: BaseException, where: str = "") -> Fault:
    """The fault of an error. Ctrl-C is none and goes on; workers ignore it, so there it is the bot's own."""
    if isinstance(error, SeatError):
        return Fault(seat, error.kind, str(error).encode(errors="replace").decode())
    if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        raise error
    kind = "memory" if isinstance(error, MemoryError) else "raised"
    said = first_line(error)
    message = f"{type(error).__name__}{where}" + (f": {said}" if said else "")
    return Fault(seat, kind, message[:_LONGEST_MESSAGE].encode(errors="replace").decode())


def illegal(seat: int, action: int, legal: Sequence[int]) -> Fault:
    """The fault of an action that is not among the legal ones."""
    return Fault(seat, "illegal", f"played {among(action, legal)}")


def returns_of(game: Game, state: Any, fault: Fault | None) -> tuple[float, ...]:
    """Each seat's return. Of a forfeited zero-sum game of two players, the returns when it stopped.

    Whoever plays alone and is at fault has the least return there is, if that is known. So it is with
    vectors of values, and the others share what is left of the sum of all returns, each at most the greatest
    return there is; if sum or bounds are not known, returns are as they stood, and nobody at fault has more
    than the least of them.
    """
    returns = tuple(state.returns())
    players, bounds = len(returns), game.utility_range
    if fault is None or (players == 2 and utility_sum(game) == 0.0):
        return returns
    if players == 1:
        return returns if bounds is None else (bounds[0],)
    if bounds is None or (total := utility_sum(game)) is None:
        own, others = min(returns) if bounds is None else bounds[0], returns
    else:
        own, share = bounds[0], min(bounds[1], (total - bounds[0]) / (players - 1))
        others = (share,) * players
    return tuple([own if seat == fault.seat else others[seat] for seat in range(players)])


def ended_early(game: Game, agents: tuple[int, ...], actions: Sequence[int], fault: Fault) -> GameRecord:
    """The record of a game that a fault ended after `actions`, with nothing known of its moves' cost.

    A process that died may have left anything: the actions count up to the first that is not legal.
    """
    state: Any = game.new_initial_state()
    played = 0
    for _, _, after in retraced(game, actions):
        state, played = after, played + 1
    none = Moves(array("f"), array("q"), array("f"))
    moves = (none,) * game.num_players
    return GameRecord(agents, tuple(actions[:played]), returns_of(game, state, fault), moves, fault)
