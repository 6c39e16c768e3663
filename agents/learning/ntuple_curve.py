"""The learning curve of an n-tuple network, as JSON and as a picture."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

from starspiel.agents.learning.ntuple_result import NTupleMoment, Points

_LEFT, _RIGHT, _TOP, _BOTTOM = 70.0, 540.0, 30.0, 250.0
_LINE = "#0072b2"


def write_points(path: Path, game: str, curve: Sequence[NTupleMoment]) -> None:
    """The moments as JSON, and as SVG beside it; each whole or not at all."""
    _write(path, json.dumps({"game": game, "curve": [asdict(moment) for moment in curve]}))
    _write(path.with_suffix(".svg"), drawn_points(game, curve))


def moment_of(held: dict[str, Any]) -> NTupleMoment:
    """A moment as `asdict` had it. Raises TypeError or KeyError where it is none."""
    fields = dict(held)
    return NTupleMoment(**fields | {"points": Points(**fields["points"])})


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
    parts.append(f'<polyline points="{points}" fill="none" stroke="{_LINE}" stroke-width="2"/>')
    for moment in curve:
        at, half = x(moment.moves), 1.96 * moment.points.error
        low, high = y(moment.points.mean - half), y(moment.points.mean + half)
        parts.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{_LINE}" '
            'stroke-opacity="0.5"/>'
        )
    title = escape(f"{game}: points a game at one ply")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_RIGHT + 30:g} {_BOTTOM + 50:g}" '
        f'font-family="sans-serif" font-size="12"><title>{title}</title>'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n'
    )


def _write(path: Path, text: str) -> None:
    aside = path.with_name(f".{path.name}.part")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)
