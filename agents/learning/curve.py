"""The learning curve of a training, as JSON and as a picture."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

from starspiel.agents.learning.result import Moment, NTupleMoment
from starspiel.agents.learning.score import BEST
from starspiel.envs.files import written_whole

#: Colours that stay apart in print and for colour-blind readers (Okabe & Ito).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
_LEFT, _RIGHT, _TOP, _BOTTOM = 70.0, 540.0, 30.0, 250.0
_MANY = 10_000  # From so many games on, thousands are counted.


def write_curve(path: Path, game: str, curve: Sequence[Any], draw: Callable[[str, Any], str]) -> None:
    """Writes the moments of all matches as JSON, and as SVG beside it, each whole or not at all."""
    text = json.dumps({"game": game, "curve": [asdict(moment) for moment in curve]})
    for target, content in ((path, text), (path.with_suffix(".svg"), draw(game, curve))):
        with written_whole(target, "w", encoding="utf-8") as file:
            file.write(content)


def drawn_curve(game: str, curve: Sequence[Moment]) -> str:
    """An SVG: points a game against each reference by games played, with 95 % intervals."""
    last = max((moment.games for moment in curve), default=0) or 1
    rivals = sorted(
        {(s.depth, s.label) for moment in curve for s in moment.scores or () if s.opponent != BEST}
    )

    def x(games: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * games / last

    def y(share: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * min(1.0, max(0.0, share))

    parts = [_axes(last)]
    for number, (depth, label) in enumerate(rivals):
        colour = _COLOURS[number % len(_COLOURS)]
        found = [
            (x(moment.games), score)
            for moment in curve
            for score in moment.scores or ()
            if (score.depth, score.label) == (depth, label)
        ]
        points = " ".join(f"{at:.1f},{y(score.share):.1f}" for at, score in found)
        dashes = "" if depth == 1 else ' stroke-dasharray="5 3"'
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        for at, score in found:
            half = 1.96 * score.error
            parts.append(_interval(at, y(score.share - half), y(score.share + half), colour))
        name = escape(f"{label}, depth {depth}")
        level = _BOTTOM + 50 + 16 * number
        parts.append(
            f'<line x1="{_LEFT}" x2="{_LEFT + 24}" y1="{level - 4}" y2="{level - 4}" stroke="{colour}" '
            f'stroke-width="2"{dashes}/><text x="{_LEFT + 32}" y="{level}">{name}</text>'
        )
    height = _BOTTOM + 50 + 16 * len(rivals)
    return _svg(f"{game}: points a game against each opponent", height, parts)


def drawn_points(game: str, curve: Sequence[NTupleMoment]) -> str:
    """An SVG: points a game at one ply by moves played, with 95 % intervals."""
    last = max((moment.moves for moment in curve), default=0) or 1
    most = max((moment.points.mean + 1.96 * moment.points.error for moment in curve), default=0.0) or 1.0

    def x(moves: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * moves / last

    def y(points: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * points / most

    parts = []
    for quarter in range(5):
        level, at = most * quarter / 4, last * quarter / 4
        parts.append(
            f'<line x1="{_LEFT}" x2="{_RIGHT}" y1="{y(level):.1f}" y2="{y(level):.1f}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 6}" y="{y(level) + 4:.1f}" text-anchor="end">{level:,.0f}</text>'
            f'<text x="{x(at):.1f}" y="{_BOTTOM + 16}" text-anchor="middle">{at / 1e6:,.4g} M</text>'
        )
    parts.append(f'<text x="{_RIGHT}" y="{_BOTTOM + 34}" text-anchor="end">moves played</text>')
    points = " ".join(f"{x(moment.moves):.1f},{y(moment.points.mean):.1f}" for moment in curve)
    parts.append(f'<polyline points="{points}" fill="none" stroke="{_COLOURS[0]}" stroke-width="2"/>')
    for moment in curve:
        half = 1.96 * moment.points.error
        low, high = y(moment.points.mean - half), y(moment.points.mean + half)
        parts.append(_interval(x(moment.moves), low, high, _COLOURS[0]))
    title = f"{game}: points a game at one ply"
    return _svg(title, _BOTTOM + 50, parts)


def _interval(at: float, low: float, high: float, colour: str) -> str:
    return (
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{colour}" '
        'stroke-opacity="0.5"/>'
    )


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_RIGHT + 30:g} {height:g}" '
        f'font-family="sans-serif" font-size="12"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )


def _axes(last: int) -> str:
    parts = []
    for percent in (0, 25, 50, 75, 100):
        level = _BOTTOM - (_BOTTOM - _TOP) * percent / 100
        parts.append(
            f'<line x1="{_LEFT}" x2="{_RIGHT}" y1="{level}" y2="{level}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 6}" y="{level + 4}" text-anchor="end">{percent} %</text>'
        )
    for quarter in range(5):
        games = last * quarter / 4
        shown = f"{games / 1000:,.0f} k" if last >= _MANY else f"{games:,.0f}"
        at = _LEFT + (_RIGHT - _LEFT) * quarter / 4
        parts.append(f'<text x="{at}" y="{_BOTTOM + 16}" text-anchor="middle">{shown}</text>')
    parts.append(f'<text x="{_RIGHT}" y="{_BOTTOM + 32}" text-anchor="end">games played</text>')
    return "".join(parts)
