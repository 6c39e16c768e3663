"""The report's figures as inline SVG: no image files, no scripts, sharp on a phone and on paper.

Every figure has both axes with their units, and a line at zero if zero is among its values.
"""

from collections.abc import Sequence
from math import cos, hypot, isfinite, isnan, pi, sin
from typing import Any

from starspiel.envs.chart import (
    COLOURS,
    Axis,
    Points,
    across,
    bar,
    dot,
    element,
    legend,
    line,
    polyline,
    text,
    turned,
    up,
)

_WIDTH, _LEFT, _RIGHT, _TOP = 480.0, 62.0, 466.0, 10.0
#: The width of a letter at most; longer names are shortened to so many.
_LETTER, _LETTERS = 8.4, 24
#: Below a figure: the numbers of its axis, and what they are.
_FOOT = 40.0
_QUIET = "#444444"
#: Where the number of a dot may be: how far off, in which sixteenths of a turn, how far from the next.
_AWAY, _TURNS, _APART = (13.0, 20.0, 30.0, 42.0), (2, 14, 6, 10, 0, 8, 4, 12, 1, 3, 5, 7, 9, 11, 13, 15), 12.5
_HALO: dict[str, Any] = {"paint_order": "stroke", "stroke": "#ffffff", "stroke_width": 3}


def interval_plot(rows: Sequence[tuple[str, float, float, float]], unit: str) -> str:
    """A dot with its interval for each (name, value, low, high), from top to bottom.

    Rows without a value are left out; those with NaN bounds are a dot alone.
    """
    shown = [row for row in rows if isfinite(row[1])]
    if not shown:
        return ""
    ends = [end for row in shown for end in row[1:] if isfinite(end)]
    names = [_short(row[0], _LETTERS) for row in shown]
    x = _padded(unit, min(ends), max(ends), 12.0 + _LETTER * max(8, *map(len, names)), _RIGHT)
    step = 26.0
    bottom = _TOP + step * len(shown)
    parts = [_across(x, _TOP, bottom)]
    for number, (name, value, low, high) in enumerate(shown):
        y = _TOP + step * (number + 0.5)
        title = f"{name}: {value:.4g}"
        parts.append(text(x.start - 10, y + 4, names[number], text_anchor="end"))
        if not (isnan(low) or isnan(high)):
            title += f" ({low:.4g} to {high:.4g})"
            # An open end reaches the edge.
            parts.append(_interval((x.inside(low), y), (x.inside(high), y)))
        parts.append(dot(x.at(value), y, 5, COLOURS[1], f"{title} {unit}"))
    return _svg(bottom + _FOOT, parts, f"{unit} with 95 % intervals")


def line_plot(lines: Sequence[tuple[str, Points]], x: Axis, y: Axis, label: str) -> str:
    """One line for each (name, points), with its name below."""
    bottom = y.start
    parts = [_across(x, y.end, bottom), _up(y, x.start, x.end)]
    top = bottom + _FOOT + 10.0
    room = int((_RIGHT - x.start - 32.0) / _LETTER)
    for number, (name, points) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        dashes = "6 3" if number >= len(COLOURS) else None
        path = [(x.at(a), y.at(b)) for a, b in points]
        parts.append(polyline(path, colour, stroke_dasharray=dashes))
        parts.append(legend(x.start, top + 18 * number + 4, _short(name, room), colour, dashes))
    return _svg(top + 18 * len(lines), parts, label)


def axes(title_x: str, title_y: str, points: Points, *, ratios: bool = False) -> tuple[Axis, Axis]:
    """The axes of a line plot that holds these points; from 0 along x, or with equal ratios as far apart."""
    xs, values = [point[0] for point in points], [point[1] for point in points]
    x = Axis(title_x, 0.0, max(xs) or 1.0, _LEFT, _RIGHT)
    if ratios:
        low, high = min(xs), max(xs)
        if high < 2.0 * low:
            low, high = low / 2.0, high * 2.0
        x = Axis(title_x, low, high, _LEFT, _RIGHT, is_log=True)
    return x, _padded(title_y, min(values), max(values), 200.0, _TOP)


def scatter_plot(
    points: Sequence[tuple[str, float, float, float, float]],
    frontier: Points,
    x: Axis,
    y: Axis,
    label: str,
) -> str:
    """A numbered dot with its interval for each (name, x, y, low, high); the frontier is a line."""
    bottom = y.start
    parts = [_across(x, y.end, bottom), _up(y, x.start, x.end)]
    parts.append(polyline([(x.at(a), y.at(b)) for a, b in frontier], COLOURS[2]))
    for number, (name, right, value, low, high) in enumerate(points, start=1):
        at, level = x.at(right), y.at(value)
        if not (isnan(low) or isnan(high)):
            parts.append(_interval((at, y.inside(low)), (at, y.inside(high))))
        title = f"{number} {name}: {value:.4g} {y.title}, {right:.3g} {x.title}"
        parts.append(dot(at, level, 5, COLOURS[1], title))
    dots = [(x.at(right), y.at(value)) for _, right, value, _, _ in points]
    for number, (at, level) in enumerate(_beside(dots), start=1):
        parts.append(text(at, level, str(number), text_anchor="middle", dy="0.35em", **_HALO))
    return _svg(bottom + _FOOT, parts, label)


def _beside(dots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """A place for the number of each dot: the nearest that is free of dots and of other numbers."""
    taken, found = list(dots), list[tuple[float, float]]()
    ways = [
        (radius * cos(turn * pi / 8), -radius * sin(turn * pi / 8)) for radius in _AWAY for turn in _TURNS
    ]
    for x, y in dots:
        spots = [(x + dx, y + dy) for dx, dy in ways if _LEFT < x + dx < _WIDTH - 8 and y + dy > _TOP / 2]
        room = [min(hypot(a - c, b - d) for c, d in taken) for a, b in spots]
        free = next((n for n, least in enumerate(room) if least >= _APART), room.index(max(room)))
        found.append(spots[free])
        taken.append(spots[free])
    return found


def bar_plot(bars: Sequence[tuple[str, float]], title_x: str, title_y: str) -> str:
    """Bars from left to right for each (label, count), as a histogram has them."""
    bottom = 160.0
    y = Axis(title_y, 0.0, max(count for _, count in bars) or 1.0, bottom, _TOP)
    width = (_RIGHT - _LEFT) / len(bars)
    parts = [_up(y, _LEFT, _RIGHT)]
    for number, (label, count) in enumerate(bars):
        x, top = _LEFT + width * number, y.at(count)
        parts.append(bar(x + 1, top, max(width - 2, 0.5), bottom - top, COLOURS[0], f"{label}: {count:g}"))
        if number % -(-len(bars) // 8) == 0:
            parts.append(text(x + width / 2, bottom + 18, label, text_anchor="middle"))
    parts.append(_named(title_x, _LEFT, _RIGHT, bottom))
    return _svg(bottom + _FOOT, parts, f"{title_y} by {title_x}")


def heat(share: float) -> str:
    """A background colour for a score between 0 (orange) and 1 (blue); black text stays readable on it."""
    far = max(-1.0, min(1.0, 2.0 * share - 1.0))
    channels = (86, 180, 233) if far > 0 else (230, 159, 0)
    return "#" + "".join(f"{round(255 + (channel - 255) * abs(far)):02x}" for channel in channels)


def _padded(title: str, low: float, high: float, start: float, end: float) -> Axis:
    margin = 0.05 * (high - low or 1.0)
    return Axis(title, low - margin, high + margin, start, end)


def _across(axis: Axis, top: float, bottom: float) -> str:
    """The horizontal axis at the bottom, with lines up from its ticks, and a thick one at zero."""
    at = axis.inside(0.0)
    zero = _zero(axis, (at, top), (at, bottom))
    return across(axis, bottom, top) + zero + _named(axis.title, axis.start, axis.end, bottom)


def _up(axis: Axis, left: float, right: float) -> str:
    """The vertical axis at the left, with lines across from its ticks, and a thick one at zero."""
    at = axis.inside(0.0)
    title = turned(13, (axis.start + axis.end) / 2, axis.title, class_="title", fill=_QUIET)
    return up(axis, left, right) + _zero(axis, (left, at), (right, at)) + title


def _zero(axis: Axis, start: tuple[float, float], end: tuple[float, float]) -> str:
    if axis.is_log or not axis.low <= 0.0 <= axis.high:
        return ""
    return line(start, end, "#555555", class_="zero", stroke_width=1.5)


def _named(title: str, left: float, right: float, bottom: float) -> str:
    return text((left + right) / 2, bottom + 34, title, text_anchor="middle", class_="title", fill=_QUIET)


def _interval(start: tuple[float, float], end: tuple[float, float]) -> str:
    return line(start, end, COLOURS[0], stroke_width=3)


def _short(name: str, most: int) -> str:
    """Its beginning and its end, which tells programs with other arguments apart."""
    end = most // 3
    return name if len(name) <= most else f"{name[: most - end - 1]}…{name[-end:]}"


def _svg(height: float, parts: Sequence[str], label: str) -> str:
    box = f"0 0 {_WIDTH:g} {height:g}"
    return element("svg", "".join(parts), viewBox=box, role="img", aria_label=label, class_="chart")
