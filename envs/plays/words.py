"""Reads the faces of dice and directions from the names of throws and moves."""

import re

#: How OpenSpiel's games name a throw of dice: "Roll 4", "roll: 4", "Roll: 2,1,1".
_THROW = re.compile(r"(?:chance outcome \d+ \()?roll:? (\d+(?:,\d+)*)\)?", re.IGNORECASE)
_FACES = re.compile(r"\brolled (\d+(?: \d+)*)$")
_DIRECTION = re.compile(r"(?:move )?(up|down|left|right)", re.IGNORECASE)


def throw(name: str) -> str | None:
    """Returns OpenSpiel's name of a throw as "rolled 2 1"; None if it is not the name of a throw."""
    found = _THROW.fullmatch(name)
    return None if found is None else f"rolled {found[1].replace(',', ' ')}"


def faces(name: str) -> tuple[int, ...]:
    """Returns the faces of the dice from the name of a throw, such as "x starts, rolled 2 1"; else ()."""
    found = _FACES.search(name)
    return () if found is None else tuple(map(int, found[1].split()))


def direction(name: str) -> str:
    """Returns the direction that a move's name says: "up", "down", "left" or "right"; else ""."""
    found = _DIRECTION.fullmatch(name)
    return "" if found is None else found[1].lower()
