"""Charts for documents and commands: SVG files that need nothing else."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from starspiel.envs import chart
from starspiel.envs.chart import (
    COLOURS,
    Axis,
    bar,
    dot,
    element,
    legend,
    picture,
    polyline,
    round_numbers,
    text,
)
from starspiel.envs.errors import StarspielError

_LEFT, _RIGHT, _TOP, _WIDTH, _HEIGHT = 76, 636, 56, 660, 400
_GREY = "#666666"
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


class Line(NamedTuple):
    """A line of a chart, its points from left to right; `colour` is a place in the palette, or the next."""

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

    Raises StarspielError if there is nothing to draw, or a value that a logarithm does not take.
    """
    points = [point for line in lines for point in line.points if all(map(math.isfinite, point))]
    if not points or (logarithmic and min(y for _, y in points) <= 0):
        raise StarspielError(f"the chart {title!r} needs points{', all above 0' if logarithmic else ''}.")
    low, high = min(y for _, y in points), max(y for _, y in points)
    if logarithmic:
        ticks = [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    else:
        ticks = round_numbers(low, high)
    bottom = _HEIGHT - 44.0
    y = Axis(up, min(low, ticks[0]), max(high, ticks[-1]), bottom, _TOP, logarithmic)
    first, last = min(x for x, _ in points), max(x for x, _ in points)
    x = Axis(across, first, last, _LEFT, _RIGHT)
    whole = all(point == int(point) for point, _ in points) and last - first <= 20
    along = [float(n) for n in range(int(first), int(last) + 1)] if whole else x.ticks
    parts = [
        chart.up(y, _LEFT, _RIGHT, [(tick, _tick(tick)) for tick in ticks]),
        chart.across(x, bottom, ticks=[(tick, _tick(tick)) for tick in along]),
        text((_LEFT + _RIGHT) / 2, bottom + 36, across, text_anchor="middle", fill=_GREY),
        text(14, _TOP - 12, up, fill=_GREY),
    ]
    for number, (value, name) in enumerate(marks):
        at = x.at(value)
        parts.append(chart.line((at, _TOP), (at, bottom), _GREY, stroke_dasharray="2 4"))
        parts.append(text(at + 5, _TOP + 12 + 16 * number, name, fill=_GREY))
    for number, line in enumerate(lines):
        colour = COLOURS[(number if line.colour is None else line.colour) % len(COLOURS)]
        dashes = "7 4" if line.dashed else None
        path = [(x.at(a), y.at(b)) for a, b in line.points]
        parts.append(polyline(path, colour, stroke_width=2.2, stroke_dasharray=dashes))
        if len(path) <= 30:
            for a, b in line.points:
                parts.append(dot(x.at(a), y.at(b), 3.5, colour, f"{line.name}: {a:g}, {b:.6g}"))
        parts.append(legend(_LEFT, _HEIGHT + 14 + 20 * number, line.name, colour, dashes))
    return _titled(_HEIGHT + 20 * len(lines) + 8, title, parts)


def bar_chart(
    bars: Sequence[tuple[str, Sequence[float]]], *, names: Sequence[str], title: str, unit: str
) -> str:
    """Bars from left to right, a group for each label with a bar for each of `names`; values from 0 up.

    Raises StarspielError if there is nothing to draw.
    """
    greatest = max((value for _, values in bars for value in values), default=0.0)
    if greatest <= 0:
        raise StarspielError(f"the chart {title!r} needs a value above 0.")
    left = 20 + min(300, 7 * max(len(label) for label, _ in bars))
    height, y = 18 if len(names) > 1 else 22, float(_TOP)
    parts = []
    for label, values in bars:
        parts.append(text(left - 8, y + height * len(values) / 2 + 4, label, text_anchor="end"))
        for number, value in enumerate(values):
            width = (_WIDTH - left - 80) * value / greatest
            parts.append(bar(left, y + 1, width, height - 3, COLOURS[number % len(COLOURS)]))
            parts.append(text(left + width + 6, y + height - 5, f"{value:,.4g}{unit}"))
            y += height
        y += 12
    for number, name in enumerate(names if len(names) > 1 else ()):
        parts.append(bar(left, y + 2, 14, 12, COLOURS[number % len(COLOURS)]))
        parts.append(text(left + 22, y + 13, name))
        y += 20
    return _titled(y + 10, title, parts)


def stacked(charts: Sequence[str]) -> str:
    """Charts one below the other, as one."""
    sizes = [tuple(map(int, _SIZE.findall(each)[0])) for each in charts]
    parts, top = [], 0
    for each, (_, height) in zip(charts, sizes, strict=True):
        parts.append(each.strip().replace("<svg ", f'<svg y="{top}" ', 1))
        top += height + 16
    width = max(width for width, _ in sizes)
    return (
        element(
            "svg",
            "".join(parts),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {width} {top - 16}",
            width=width,
            height=top - 16,
            font_family="system-ui, sans-serif",
        )
        + "\n"
    )


def save_chart(svg: str, path: str | Path) -> None:
    """Writes a chart. Raises StarspielError if it cannot."""
    try:
        Path(path).write_text(svg, encoding="utf-8")
    except OSError as error:
        raise StarspielError(f"cannot write the chart to {path}: {error.strerror}.") from None


def _tick(value: float) -> str:
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", "−")


def _titled(height: float, title: str, parts: Sequence[str]) -> str:
    head = text(14, 20, title, font_weight=600, font_size=14)
    return picture(_WIDTH, height, title, head + "".join(parts), 13)
