"""Charts for documents and commands: SVG files that need nothing else."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.report.drawing import COLOURS

_LEFT, _TOP, _WIDTH, _HEIGHT = 76, 56, 660, 400
_GREY = "#666666"
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


@dataclass(frozen=True)
class Line:
    """A line of a chart: its name, its points from left to right, whether it is dashed, and the place of its
    colour in the palette; None takes the next."""

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False
    colour: int | None = None


def line_chart(
    lines: Sequence[Line],
    *,
    title: str,
    across: str,
    up: str,
    logarithmic: bool = False,
    marks: Sequence[tuple[float, str]] = (),
) -> str:
    """A chart of lines; `marks` are upright lines at some x, with their names.

    Raises StarspielError where there is nothing to draw, or a value that a logarithm does not take.
    """
    points = [point for line in lines for point in line.points if all(map(math.isfinite, point))]
    if not points or (logarithmic and min(y for _, y in points) <= 0):
        raise StarspielError(f"the chart {title!r} needs points{', all above 0' if logarithmic else ''}.")
    low, high = min(y for _, y in points), max(y for _, y in points)
    if logarithmic:
        ticks = [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    else:
        ticks = round_numbers(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    first, last = min(x for x, _ in points), max(x for x, _ in points)
    legend = 20 * len(lines)
    bottom = _HEIGHT - 44

    def scaled(value: float) -> float:
        return math.log10(value) if logarithmic else value

    def x(value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - 24) * (value - first) / (last - first or 1.0)

    def y(value: float) -> float:
        share = (scaled(value) - scaled(low)) / (scaled(high) - scaled(low) or 1.0)
        return bottom - (bottom - _TOP) * share

    parts = []
    for tick in ticks:
        parts.append(
            f'<path d="M{_LEFT} {y(tick):.1f}H{_WIDTH - 24}" stroke="#dddddd"/>'
            f'<text x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{_tick(tick)}</text>'
        )
    whole = all(point == int(point) for point, _ in points) and last - first <= 20
    along = [float(n) for n in range(int(first), int(last) + 1)] if whole else round_numbers(first, last)
    for tick in along:
        if first <= tick <= last:
            parts.append(
                f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{_tick(tick)}</text>'
            )
    for number, (at, name) in enumerate(marks):
        parts.append(
            f'<path d="M{x(at):.1f} {_TOP}V{bottom}" stroke="{_GREY}" stroke-dasharray="2 4"/>'
            f'<text x="{x(at) + 5:.1f}" y="{_TOP + 12 + 16 * number}" fill="{_GREY}">{escape(name)}</text>'
        )
    for number, line in enumerate(lines):
        colour = COLOURS[(number if line.colour is None else line.colour) % len(COLOURS)]
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line.points)
        dashes = ' stroke-dasharray="7 4"' if line.dashed else ""
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.2"{dashes}/>'
            + (
                "".join(
                    f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3.5" fill="{colour}">'
                    f"<title>{escape(line.name)}: {a:g}, {b:.6g}</title></circle>"
                    for a, b in line.points
                )
                if len(line.points) <= 30
                else ""
            )
        )
        row = _HEIGHT + 14 + 20 * number
        parts.append(
            f'<path d="M{_LEFT} {row - 4}h26" stroke="{colour}" stroke-width="2.6"{dashes}/>'
            f'<text x="{_LEFT + 34}" y="{row}">{escape(line.name)}</text>'
        )
    parts.append(
        f'<text x="{(_LEFT + _WIDTH - 24) / 2:.0f}" y="{bottom + 36}" text-anchor="middle" '
        f'fill="{_GREY}">{escape(across)}</text>'
        f'<text x="14" y="{_TOP - 12}" fill="{_GREY}">{escape(up)}</text>'
    )
    return _svg(_WIDTH, _HEIGHT + legend + 8, title, "".join(parts))


def bar_chart(
    bars: Sequence[tuple[str, Sequence[float]]], *, names: Sequence[str], title: str, unit: str
) -> str:
    """Bars from left to right, a group for each label with a bar for each of `names`; values from 0 up.

    Raises StarspielError where there is nothing to draw.
    """
    greatest = max((value for _, values in bars for value in values), default=0.0)
    if greatest <= 0:
        raise StarspielError(f"the chart {title!r} needs a value above 0.")
    left = 20 + min(300, 7 * max(len(label) for label, _ in bars))
    height, y = 18 if len(names) > 1 else 22, float(_TOP)
    parts = []
    for label, values in bars:
        middle = y + height * len(values) / 2
        parts.append(f'<text x="{left - 8}" y="{middle + 4:.1f}" text-anchor="end">{escape(label)}</text>')
        for number, value in enumerate(values):
            width = (_WIDTH - left - 80) * value / greatest
            colour = COLOURS[number % len(COLOURS)]
            parts.append(
                f'<rect x="{left}" y="{y + 1:.1f}" width="{width:.1f}" height="{height - 3}" '
                f'fill="{colour}"/>'
                f'<text x="{left + width + 6:.1f}" y="{y + height - 5:.1f}">{value:,.4g}{escape(unit)}</text>'
            )
            y += height
        y += 12
    for number, name in enumerate(names if len(names) > 1 else ()):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(
            f'<rect x="{left}" y="{y + 2:.1f}" width="14" height="12" fill="{colour}"/>'
            f'<text x="{left + 22}" y="{y + 13:.1f}">{escape(name)}</text>'
        )
        y += 20
    return _svg(_WIDTH, round(y + 10), title, "".join(parts))


def stacked(charts: Sequence[str]) -> str:
    """Charts one below the other, as one."""
    sizes = [tuple(map(int, _SIZE.findall(chart)[0])) for chart in charts]
    parts, top = [], 0
    for chart, (_, height) in zip(charts, sizes, strict=True):
        parts.append(chart.strip().replace("<svg ", f'<svg y="{top}" ', 1))
        top += height + 16
    width = max(width for width, _ in sizes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top - 16}" width="{width}" '
        f'height="{top - 16}" font-family="system-ui, sans-serif">{"".join(parts)}</svg>\n'
    )


def save_chart(svg: str, path: str | Path) -> None:
    """Writes a chart. Raises StarspielError where it cannot."""
    try:
        Path(path).write_text(svg, encoding="utf-8")
    except OSError as error:
        raise StarspielError(f"cannot write the chart to {path}: {error.strerror}.") from None


def round_numbers(low: float, high: float) -> list[float]:
    """Round numbers from one at or below `low` to one at or above `high`, about six."""
    span = high - low or abs(high) or 1.0
    step = 10.0 ** math.floor(math.log10(span / 5))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if span / (step * factor) <= 6)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * number, 12) for number in range(first, last + 1)]


def _tick(value: float) -> str:
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", "−")


def _svg(width: int, height: int, title: str, body: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="13" role="img">'
        f"<title>{escape(title)}</title>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>'
        f'<text x="14" y="20" font-weight="600" font-size="14">{escape(title)}</text>{body}</svg>\n'
    )
