"""The seat protocol, version 1: what a referee and an engine say to each other, one JSON object a line.

`docs/protocol.md` is its page for those who write an engine. The referee writes to the engine's standard
input and reads its standard output; each line has a `type`. Only `hello`, `new_game` and `move` are answered.
"""

from collections.abc import Sequence
from math import fsum
from typing import Any

import msgspec

from starspiel.envs.errors import SeatError, among

VERSION = 1
#: The referee's messages that have an answer; `event`, `end` and `quit` have none.
ANSWERED = ("hello", "new_game", "move")
#: What stands for the game, which its reader has, in a pickled position: its persistent id.
THE_GAME = "game"
#: A policy's probabilities add up to 1 give or take this: they may be rounded, and of single precision.
SLACK = 1e-3
#: A longer line is no answer.
LONGEST_LINE = 2**20


class Hello(msgspec.Struct, tag_field="type", tag="hello"):
    """The answer to `hello`.

    Attributes:
        protocol: the version it speaks.
        name: of the engine, with its version.
        wants: what it asks to be told with every `move`: "names" of the legal moves, the position as "text",
            or its "state", which is for hosts of Python's bots: see `host.py`.
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
        action: one of the legal ones.
        value: player 0's expected return in the eyes of the engine.
        nodes: what the move cost, in states searched or simulations.
        policy: (action, probability) of what it drew the move from; see `check_policy`.
    """

    action: int
    value: float | None = None
    nodes: int | None = None
    policy: tuple[tuple[int, float], ...] | None = None


class Failure(msgspec.Struct, tag_field="type", tag="error"):
    """Instead of an answer: the engine cannot go on with this game.

    Attributes:
        message: why, in one line.
        error: the class of what was raised, if something was.
    """

    message: str
    error: str = ""


Answer = Hello | Ready | Move | Failure
_DECODER = msgspec.json.Decoder(Answer)
_ENCODER = msgspec.json.Encoder()


def line_of(message: Any) -> bytes:
    """A message as its line."""
    return _ENCODER.encode(message) + b"\n"


def answer_in(line: bytes) -> Answer:
    """The answer that a line holds. Raises SeatError if it holds none, or is not all UTF-8."""
    try:
        answer: Answer = _DECODER.decode(line.decode())  # of bytes, it would pass over what it does not read
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        shown = line[:80].decode(errors="replace").strip()
        raise SeatError("broken", f"expected an answer in JSON, got {shown!r}: {error}") from None
    return answer


def check_policy(move: Move, legal: Sequence[int]) -> None:
    """Raises SeatError unless its policy, if it has one, is a distribution over the legal actions."""
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
    """`player`, or chance (-1), does `action`: everything but the engine's own answers."""
    return {"type": "event", "player": player, "action": action}


def move(legal: Sequence[int], seconds: float | None) -> dict[str, Any]:
    message: dict[str, Any] = {"type": "move", "legal": legal}
    return message if seconds is None else message | {"seconds": seconds}


def end(returns: Sequence[float] | None) -> dict[str, Any]:
    """The game is over; without returns if it was stopped."""
    return {"type": "end", "returns": returns}


def quit_() -> dict[str, Any]:
    return {"type": "quit"}
