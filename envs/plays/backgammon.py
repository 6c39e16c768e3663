"""Reads and writes backgammon plays as people write them: `24/21/20`, `8/4(2)`, `bar/22 13/11*`, `6/off`."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

BAR, OFF = 25, 0
_PART = re.compile(r"(bar|\d\d?)\*?((?:/(?:off|\d\d?)\*?)+)(?:\((\d)\))?")
_ROLL = re.compile(r"(?:([XO]) starts, )?\(roll: (\d)(\d)\)")
_POINTS = {"bar": BAR, "off": OFF}

#: The steps of checkers, each (from, to, whether it hits), in the order in which they are written.
Hops = tuple[tuple[int, int, bool], ...]
PlayT = TypeVar("PlayT")


def parsed(text: str) -> Hops | None:
    """Returns the steps that a text names; None if it names none. A passed die beside them is ignored."""
    hops: list[tuple[int, int, bool]] = []
    for part in _made(text.lower().replace(",", " ").split()):
        found = _PART.fullmatch(part)
        if found is None:
            return None
        here, ways = _point(found[1]), found[2].split("/")[1:]
        once = []
        for way in ways:
            there = _point(way.rstrip("*"))
            once.append((here, there, way.endswith("*")))
            here = there
        hops += once + [(here, there, False) for here, there, _ in once] * (int(found[3] or 1) - 1)
    if not hops or not all(0 <= there < here <= BAR for here, there, _ in hops):
        return None
    return tuple(hops)


def hops_of(state: Any, action: int) -> Hops:
    """Returns the steps of an action; () for a pass."""
    text = str(state.action_to_string(state.current_player(), action)).partition(" - ")[2]
    return parsed(text) or ()


def written(state: Any, player: int, action: int) -> str:
    """Returns OpenSpiel's name of a play or a roll in lower case, with `8/4(2)` for the same step twice."""
    name = str(state.action_to_string(player, action))
    if roll := _ROLL.search(name):
        starts = f"{roll[1].lower()} starts, " if roll[1] else ""
        return f"{starts}rolled {roll[2]} {roll[3]}"
    parts = _made(
        (name.partition(" - ")[2] or name)
        .replace("Bar", "bar")
        .replace("Off", "off")
        .replace("Pass", "pass")
        .split()
    )
    if len(parts) == 2 and parts[0].rstrip("*") == parts[1].rstrip("*") and "(" not in parts[0]:
        hit = "*" if any(part.endswith("*") for part in parts) else ""
        return f"{parts[0].rstrip('*')}{hit}(2)"
    return " ".join(parts)


def _made(parts: list[str]) -> list[str]:
    """Returns the parts of a play without passes of dice that cannot be played; a pass alone stays."""
    return [part for part in parts if part != "pass"] or parts[:1]


def chosen(hops: Hops, offered: Sequence[tuple[PlayT, Sequence[Hops]]]) -> list[PlayT]:
    """Returns the plays that steps may mean, from plays that are each given with the steps of their actions.

    The checkers must end on the same points. If that leaves several plays, intermediate steps and then hits
    decide between them.
    """
    found = [(play, ways) for play, ways in offered if any(_net(way) == _net(hops) for way in ways)]
    if len(found) > 1:
        points = Counter((here, there) for here, there, _ in hops)
        same = [
            (play, ways)
            for play, ways in found
            if any(Counter((here, there) for here, there, _ in way) == points for way in ways)
        ]
        found = same or found
    if len(found) > 1:
        hits = {there for _, there, hit in hops if hit}
        found = [
            (play, ways)
            for play, ways in found
            if any({there for _, there, hit in way if hit} == hits for way in ways)
        ] or found
    return [play for play, _ in found]


def without(hops: Hops, first: Hops) -> Hops | None:
    """Returns the rest of a play after its first half; None if `first` is not part of the play."""
    rest = _net(hops)
    rest.subtract(_net(first))
    leaving = sorted((point for point, n in rest.items() for _ in range(-n)), reverse=True)
    arriving = sorted((point for point, n in rest.items() for _ in range(n)), reverse=True)
    if not leaving or len(leaving) != len(arriving) or len(leaving) > 2:
        return None
    if any(here <= there for here, there in zip(leaving, arriving, strict=True)):
        return None
    return tuple((here, there, False) for here, there in zip(leaving, arriving, strict=True))


def _net(hops: Hops) -> Counter[int]:
    """Returns the change in the number of checkers of each point, without points that do not change."""
    change: Counter[int] = Counter()
    for here, there, _ in hops:
        change[here] -= 1
        change[there] += 1
    return Counter({point: n for point, n in change.items() if n})


def _point(name: str) -> int:
    return _POINTS.get(name) if name in _POINTS else int(name)  # type: ignore[return-value]
