"""The learning curve of a training, as JSON and as a picture."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starspiel.agents.learning.result import Moment, NTupleMoment
from starspiel.agents.learning.score import BEST
from starspiel.envs.chart import (
    COLOURS,
    Axis,
    across,
    legend,
    line,
    paragraph,
    picture,
    polyline,
    text,
    turned,
    up,
)
from starspiel.envs.files import written_whole

_LEFT, _RIGHT, _TOP, _BOTTOM = 70.0, 540.0, 66.0, 286.0
_MANY = 10_000  # From so many games on, thousands are counted.
#: What tells the numbers of an axis.
_Words = Callable[[float], str]


def write_curve(path: Path, game: str, curve: Sequence[Any], draw: Callable[[str, Any], str]) -> None:
    """Writes the moments of all matches as JSON, and as SVG beside it, each whole or not at all."""
    told = json.dumps({"game": game, "curve": [asdict(moment) for moment in curve]})
    for target, content in ((path, told), (path.with_suffix(".svg"), draw(game, curve))):
        with written_whole(target, "w", encoding="utf-8") as file:
            file.write(content)


def drawn_curve(game: str, curve: Sequence[Moment]) -> str:
    """An SVG: points a game against each reference by games played, with 95 % intervals."""
    last = max((moment.games for moment in curve), default=0) or 1
    rivals = sorted(
        {(s.depth, s.label) for moment in curve for s in moment.scores or () if s.opponent != BEST}
    )

    def along(games: float) -> str:
        return f"{games / 1000:,.0f} k" if last >= _MANY else f"{games:,.0f}"

    x, y, parts = _axes("games played", last, 1.0, along, lambda share: f"{100 * share:.0f} %")
    for number, (depth, label) in enumerate(rivals):
        colour, dashes = COLOURS[number % len(COLOURS)], None if depth == 1 else "5 3"
        found = [
            (moment.games, score.share, score.error)
            for moment in curve
            for score in moment.scores or ()
            if (score.depth, score.label) == (depth, label)
        ]
        parts += _line(x, y, found, colour, dashes)
        parts.append(legend(_LEFT, _BOTTOM + 50 + 16 * number, f"{label}, depth {depth}", colour, dashes))
    title = "points a game against each opponent, with 95 % intervals"
    return _drawn(game, title, _BOTTOM + 50 + 16 * len(rivals), parts)


def drawn_points(game: str, curve: Sequence[NTupleMoment]) -> str:
    """An SVG: points a game at one ply by moves played, with 95 % intervals."""
    last = max((moment.moves for moment in curve), default=0) or 1
    most = max((moment.points.mean + 1.96 * moment.points.error for moment in curve), default=0.0) or 1.0
    x, y, parts = _axes(
        "moves played", last, most, lambda moves: f"{moves / 1e6:,.4g} M", lambda points: f"{points:,.0f}"
    )
    found = [(moment.moves, moment.points.mean, moment.points.error) for moment in curve]
    parts += _line(x, y, found, COLOURS[0])
    return _drawn(game, "points a game at one ply, with 95 % intervals", _BOTTOM + 50, parts)


def _drawn(game: str, title: str, height: float, parts: Sequence[str]) -> str:
    """The picture, with the game and what is drawn above it."""
    head, below = paragraph(16, 22, game, _RIGHT, font_weight=600, font_size=14)
    head += text(16, below, title)
    return picture(_RIGHT + 30, height, f"{game}: {title}", head + "".join(parts))


def _axes(
    title: str, last: float, most: float, along: _Words, upward: _Words
) -> tuple[Axis, Axis, list[str]]:
    """Both axes, and their numbers at each quarter."""
    x, y = Axis(title, 0.0, last, _LEFT, _RIGHT), Axis("points a game", 0.0, most, _BOTTOM, _TOP)
    at_x, at_y = ([axis.high * quarter / 4 for quarter in range(5)] for axis in (x, y))
    drawn = [
        up(y, _LEFT, _RIGHT, [(value, upward(value)) for value in at_y]),
        across(x, _BOTTOM, ticks=[(value, along(value)) for value in at_x]),
        text((_LEFT + _RIGHT) / 2, _BOTTOM + 36, x.title, text_anchor="middle"),
        turned(16, (_TOP + _BOTTOM) / 2, y.title),
    ]
    return x, y, drawn


def _line(
    x: Axis, y: Axis, found: Sequence[tuple[float, float, float]], colour: str, dashes: str | None = None
) -> list[str]:
    """A line through each (x, y, standard error), with its interval."""
    points = [(x.at(at), y.inside(value)) for at, value, _ in found]
    parts = [polyline(points, colour, stroke_dasharray=dashes)]
    for at, value, error in found:
        low, high = y.inside(value - 1.96 * error), y.inside(value + 1.96 * error)
        parts.append(line((x.at(at), low), (x.at(at), high), colour, stroke_opacity="0.5"))
    return parts
