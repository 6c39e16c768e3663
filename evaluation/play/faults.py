"""Describes the faults of agents, and makes the records of games that end by them."""

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
    """Raised to end a game, which the seat at fault loses."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


def fault_of(seat: int, error: BaseException, where: str = "") -> Fault:
    """Returns the fault for an error raised by a bot.

    KeyboardInterrupt is raised again, because it is the user's, except in workers: these ignore Ctrl-C, so
    there the bot has raised it.
    """
    if isinstance(error, SeatError):
        return Fault(seat, error.kind, str(error).encode(errors="replace").decode())
    if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        raise error
    kind = "memory" if isinstance(error, MemoryError) else "raised"
    said = first_line(error)
    message = f"{type(error).__name__}{where}" + (f": {said}" if said else "")
    return Fault(seat, kind, message[:_LONGEST_MESSAGE].encode(errors="replace").decode())


def illegal(seat: int, action: int, legal: Sequence[int]) -> Fault:
    """Returns the fault of an illegal action."""
    return Fault(seat, "illegal", f"played {among(action, legal)}")


def shares_known(game: Game) -> bool:
    """Returns whether `returns_of` a forfeited game divides the whole sum of returns among its seats."""
    return game.utility_range is not None and utility_sum(game) is not None


def returns_of(game: Game, state: Any, fault: Fault | None) -> tuple[float, ...]:
    """Returns each seat's return. A forfeited zero-sum game of two players has the returns when it stopped.

    A single player at fault gets the lowest possible return, if that is known. In games whose values are
    vectors, the seat at fault gets the lowest possible return, and the others share the rest of the sum of
    returns, each at most the highest possible return. If the sum or the bounds are not known, the others keep
    their returns, and the seat at fault gets the lowest possible return or, if unknown, the lowest of all;
    statistics then count others (`Blocks.returns`, `Tally.returns_alone`).
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
    """Returns the record of a game that a fault ended after `actions`; the costs of its moves are not known.

    Actions from a process that died may be invalid, so they count only up to the first illegal one.
    """
    state: Any = game.new_initial_state()
    played = 0
    for _, _, after in retraced(game, actions):
        state, played = after, played + 1
    none = Moves(array("f"), array("q"), array("f"))
    moves = (none,) * game.num_players
    return GameRecord(agents, tuple(actions[:played]), returns_of(game, state, fault), moves, fault)
