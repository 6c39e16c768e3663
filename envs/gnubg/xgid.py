"""Reads and writes XGID, eXtreme Gammon's text format of positions, which GNU Backgammon also reads."""

from collections.abc import Callable

from starspiel.envs.errors import StarspielError
from starspiel.envs.gnubg.position import PLACES, Position, Side

PREFIX = "XGID="
_FIELDS = 10
_LETTERS = "-ABCDEFGHIJKLMNO"


def xgid(position: Position, length: int = 0) -> str:
    """Returns the position as XGID, in a match of `length` points at 0-0 or, with 0, in a money session.

    The Jacoby rule is off. Player 0 has the upper-case letters; the cube is in the middle.
    """
    own, other = position.sides
    places = [_LETTERS[men] for men in (0, *own)]
    for place, men in enumerate(other):
        if men:
            places[PLACES - 1 - place] = _LETTERS[men].lower()
    turn = 1 - 2 * position.player
    dice = "".join(map(str, position.dice)) or "00"
    return f"{PREFIX}{''.join(places)}:0:0:{turn}:{dice}:0:0:0:{length}:10"


def from_xgid(text: str) -> Position:
    """Returns the position of an XGID, with or without the prefix `XGID=`.

    Cube and score are ignored. Raises StarspielError if the text is not an XGID.
    """
    told = text.strip()
    fields = told[len(PREFIX) if told.upper().startswith(PREFIX) else 0 :].split(":")
    if len(fields) != _FIELDS or len(fields[0]) != PLACES + 1:
        raise StarspielError(
            f"expected an XGID of {_FIELDS} fields, the first with {PLACES + 1} letters, got {len(fields)} "
            f"fields, the first with {len(fields[0])} letters: {text!r}."
        )
    places, turn, dice = fields[0], fields[3], fields[4]
    if set(places) - set(_LETTERS + _LETTERS.lower()) or turn not in ("1", "-1"):
        raise StarspielError(
            f"expected an XGID with letters from A to O or - for the points, and 1 or -1 in "
            f"its fourth field, got {text!r}."
        )
    if places[0].isupper() or places[-1].islower():
        raise StarspielError(
            f"expected an XGID whose first letter is of player 1's checkers on the bar, in lower case, and "
            f"whose last is of player 0's, in upper case, got {places!r}."
        )
    if dice != "00" and not (len(dice) == 2 and set(dice) <= set("123456")):
        raise StarspielError(
            f"expected two dice, such as 31, or 00 before the throw, in an XGID, got {dice!r}."
        )
    thrown = () if dice == "00" else tuple(sorted(map(int, dice), reverse=True))
    sides = _side(places[1:], str.isupper), _side(places[-2::-1], str.islower)
    return Position(sides, int(turn == "-1"), thrown)


def _side(places: str, is_own: Callable[[str], bool]) -> Side:
    return tuple(_LETTERS.index(letter.upper()) if is_own(letter) else 0 for letter in places)
