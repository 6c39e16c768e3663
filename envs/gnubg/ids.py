"""Reads and writes GNU Backgammon's Position ID and Match ID, defined in its manual.

They are bits, lowest first, in base 64.
"""

import base64
import binascii
from collections.abc import Iterable

from starspiel.envs.errors import StarspielError
from starspiel.envs.gnubg.position import PLACES, Position, Side

_POSITION_BYTES, _MATCH_BYTES = 10, 9
#: The fields of a Match ID in order, with their numbers of bits.
_FIELDS = {
    "cube": 4,
    "owner": 2,
    "roller": 1,
    "crawford": 1,
    "state": 3,
    "turn": 1,
    "doubled": 1,
    "resigned": 2,
    "die": 3,
    "other_die": 3,
    "length": 15,
    "score": 15,
    "other_score": 15,
    "without_jacoby": 1,
}
_CENTRED, _PLAYING = 3, 1


def position_id(position: Position) -> str:
    """Returns 14 characters: the checkers of the player not to move, then those of the player to move."""
    own, other = position.on_roll
    bits = [bit for side in (other, own) for men in side for bit in (*[1] * men, 0)]
    return _text(bits, _POSITION_BYTES)


def match_id(position: Position, length: int = 0) -> str:
    """Returns 12 characters: whose turn it is, the dice, and a match of `length` points at 0-0 (0: none).

    Player 0 is gnubg's player 1, whose checkers are X.
    """
    turn = 1 - position.player
    die, other = position.dice or (0, 0)
    values = {"owner": _CENTRED, "roller": turn, "state": _PLAYING, "turn": turn, "die": die}
    values |= {"other_die": other, "length": length, "without_jacoby": 1}
    return _text(
        (values.get(name, 0) >> bit & 1 for name, bits in _FIELDS.items() for bit in range(bits)),
        _MATCH_BYTES,
    )


def from_ids(text: str) -> Position:
    """Returns the position of `POSITION` or `POSITION:MATCH`.

    With a Position ID alone, it is player 0's turn and no dice are thrown. Cube and score are ignored. Raises
    StarspielError if the text is not such an ID.
    """
    checkers, _, match = text.strip().partition(":")
    bits = iter(_bits(checkers, _POSITION_BYTES, "Position ID"))
    other, own = _side(bits, text), _side(bits, text)
    if any(bits):
        raise StarspielError(f"expected a Position ID of two players' checkers, got {text!r}.")
    if not match:
        return Position((own, other), 0)
    stream = iter(_bits(match, _MATCH_BYTES, "Match ID"))
    found = {name: sum(next(stream) << bit for bit in range(bits)) for name, bits in _FIELDS.items()}
    thrown = tuple(sorted((found["die"], found["other_die"]), reverse=True))
    if thrown[0] > 6 or (thrown[1] == 0) != (thrown[0] == 0):
        raise StarspielError(f"expected two dice or none in the Match ID, got {thrown[0]} and {thrown[1]}.")
    player = 1 - found["turn"]
    return Position((own, other) if player == 0 else (other, own), player, thrown if thrown[0] else ())


def _side(bits: Iterable[int], text: str) -> Side:
    side, men = [], 0
    for bit in bits:
        if bit:
            men += 1
            continue
        side.append(men)
        men = 0
        if len(side) == PLACES:
            return tuple(side)
    raise StarspielError(f"expected a Position ID of two players' checkers, got {text!r}.")


def _text(bits: Iterable[int], length: int) -> str:
    number = sum(bit << place for place, bit in enumerate(bits))
    return base64.b64encode(number.to_bytes(length, "little")).decode().rstrip("=")


def _bits(text: str, length: int, what: str) -> list[int]:
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if len(data) != length:
        characters = -(-length * 8 // 6)
        raise StarspielError(f"expected a {what} of {characters} characters in base 64, got {text!r}.")
    return [byte >> bit & 1 for byte in data for bit in range(8)]
