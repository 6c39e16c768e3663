"""Defines version 1 of the seat protocol, in which a referee and an engine exchange JSON objects, one per
line.

`docs/protocol.md` describes it for authors of engines. The referee writes to the engine's standard input and
reads its standard output; each line has a `type`. Only `hello`, `new_game` and `move` are answered.
"""

from collections.abc import Sequence
from math import fsum
from typing import Annotated, Any

import msgspec

from starspiel.envs.errors import SeatError, among

VERSION = 1
#: The referee's messages that have an answer; `event`, `end` and `quit` have none.
ANSWERED = ("hello", "new_game", "move")
#: The persistent id that replaces the game, which its reader has, in a pickled position.
THE_GAME = "game"
#: How far the sum of a policy's probabilities may be from 1: they may be rounded, or of single precision.
SLACK = 1e-3
#: The most bytes of a line; a longer one is not an answer.
LONGEST_LINE = 2**20


class Hello(msgspec.Struct, tag_field="type", tag="hello"):
    """The answer to `hello`.

    Attributes:
        protocol: the version that the engine speaks.
        name: the engine's name and version.
        wants: what it wants to be sent with every `move`: the "names" of the legal moves, the position as
            "text", or its "state", which is for hosts of Python bots: see `host.py`.
        takes: the parameters that its spec can set, for hosts.
    """

    protocol: int
    name: str = ""
    wants: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


class Ready(msgspec.Struct, tag_field="type", tag="ready"):
    """The answer to `new_game`."""


class Move(msgspec.Struct, tag_field="type", tag="move"):
    """The answer to `move`.

    Attributes:
        action: one of the legal actions.
        value: player 0's expected return according to the engine.
        nodes: the cost of the move, in states searched or simulations, as large as a record can hold.
        policy: the (action, probability) pairs from which it drew the move; see `check_policy`.
    """

    action: int
    value: Annotated[float, msgspec.Meta(ge=-1e38, le=1e38)] | None = None
    nodes: Annotated[int, msgspec.Meta(ge=0, le=2**45)] | None = None
    policy: tuple[tuple[int, float], ...] | None = None


class Failure(msgspec.Struct, tag_field="type", tag="error"):
    """An error instead of an answer: the engine cannot continue this game.

    Attributes:
        message: the reason, in one line.
        error: the class of the exception, if one was raised.
    """

    message: str
    error: str = ""


Answer = Hello | Ready | Move | Failure
_DECODER = msgspec.json.Decoder(Answer)
_ENCODER = msgspec.json.Encoder()


def line_of(message: Any) -> bytes:
    """Returns a message as a line of bytes."""
    return _ENCODER.encode(message) + b"\n"


def answer_in(line: bytes) -> Answer:
    """Decodes the answer in a line. Raises SeatError if it is not a valid answer, or not UTF-8."""
    try:
        answer: Answer = _DECODER.decode(line.decode())  # bytes may hide invalid UTF-8 in what is unread
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        shown = line[:80].decode(errors="replace").strip()
        raise SeatError("broken", f"expected an answer in JSON, got {shown!r}: {error}") from None
    return answer


def check_policy(move: Move, legal: Sequence[int]) -> None:
    """Raises SeatError if the move has a policy that is not a distribution over the legal actions."""
    if move.policy is None:
        return
    left = set(legal)
    for action, probability in move.policy:
        if action not in left:
            twice = f"{action} twice" if action in legal else among(action, legal)
            raise _no_policy(f"it names {twice}")
        if not 0.0 <= probability <= 1.0 + SLACK:
            raise _no_policy(f"it gives {action} the probability {probability:g}, expected 0 to 1")
        left.remove(action)
    total = fsum(probability for _, probability in move.policy)
    if abs(total - 1.0) > SLACK:
        raise _no_policy(f"its probabilities add up to {total:g}, expected 1")


def _no_policy(why: str) -> SeatError:
    return SeatError("broken", f"expected for policy: a distribution over the legal actions; {why}")


def hello() -> dict[str, Any]:
    return {"type": "hello", "protocol": VERSION}


def new_game(game: str, seats: int, seat: int, seed: int) -> dict[str, Any]:
    return {"type": "new_game", "game": game, "seats": seats, "seat": seat, "seed": seed}


def event(player: int, action: int) -> dict[str, Any]:
    """Returns the message that `player`, or chance (-1), takes `action`; not for the engine's own moves."""
    return {"type": "event", "player": player, "action": action}


def move(legal: Sequence[int], seconds: float | None) -> dict[str, Any]:
    message: dict[str, Any] = {"type": "move", "legal": legal}
    return message if seconds is None else message | {"seconds": seconds}


def end(returns: Sequence[float] | None) -> dict[str, Any]:
    """Returns the message that the game is over; `returns` is None if it was stopped."""
    return {"type": "end", "returns": returns}


def quit_() -> dict[str, Any]:
    return {"type": "quit"}
