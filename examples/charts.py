"""Charts of lines and of bars as files, for the examples that draw the pictures of pages."""

from collections.abc import Iterable, Sequence
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.plot import BOTTOM, COLOURS, LEFT, RIGHT, TOP, Plot, colour
from starspiel.envs.chart.svg import STEP, Points, bar, picture, text, wrapped
from starspiel.envs.errors import StarspielError

_WIDTH, _EDGE = RIGHT + 26, 14.0


class Line(NamedTuple):
    """A line of a chart, its points from left to right; `colour` is a place in the palette, or the next."""

    name: str
    points: Points
    dashed: bool = False
    colour: int | None = None


def line_plot(lines: Iterable[Line], x: Axis, y: Axis, *, dots: bool = False) -> Plot:
    """A plot of lines, with their names below it; `dots` shows the points of those that have few."""
    plot = Plot(x, y)
    for number, (name, points, dashed, chosen) in enumerate(lines):
        kind = colour(number if chosen is None else chosen)
        plot.line(points, kind, name, "6 3" if dashed or number >= COLOURS else None)
        if dots and len(points) <= 30:
            for a, b in points:
                plot.dot(a, b, kind, f"{name}: {a:g}, {b:.6g}", 3.5)
    return plot


def line_chart(
    lines: Sequence[Line],
    *,
    title: str,
    across: str,
    up: str,
    logarithmic: bool = False,
    marks: Sequence[tuple[float, str]] = (),
) -> str:
    """A chart of lines as a file; `marks` are upright lines at some x, with their names.

    Raises StarspielError if there is nothing to draw, or a value that a logarithm does not take.
    """
    points = [point for line in lines for point in line.points if all(map(isfinite, point))]
    if not points or (logarithmic and min(y for _, y in points) <= 0):
        raise StarspielError(f"the chart {title!r} needs points{', all above 0' if logarithmic else ''}.")
    x = Axis.around(across, [x for x, _ in points], LEFT, RIGHT)
    y = Axis.around(up, [y for _, y in points], BOTTOM, TOP, is_log=logarithmic)
    plot = line_plot(lines, x, y, dots=True)
    for number, (value, name) in enumerate(marks):
        plot.mark(value, name, "quiet", number)
    return plot.file(title)


def bar_chart(
    bars: Sequence[tuple[str, Sequence[float]]], *, names: Sequence[str], title: str, unit: str
) -> str:
    """Bars from left to right below each label, one for each of `names`, as a file; values from 0 up.

    Raises StarspielError if there is nothing to draw.
    """
    greatest = max((value for _, values in bars for value in values), default=0.0)
    if greatest <= 0:
        raise StarspielError(f"the chart {title!r} needs a value above 0.")
    parts, y = [], 12.0
    for each in wrapped(title, _WIDTH - 2 * _EDGE, 14):
        y += STEP
        parts.append(text(_EDGE, y - 6, each, font_weight=600, font_size=14))
    for number, name in enumerate(names if len(names) > 1 else ()):
        y += STEP
        parts.append(bar(_EDGE, y - 10, 14, 12, colour(number)) + text(_EDGE + 22, y, name))
    for label, values in bars:
        y += STEP + 8
        parts.append(text(_EDGE, y, label))
        for number, value in enumerate(values):
            width = (_WIDTH - _EDGE - 80) * value / greatest
            parts.append(bar(_EDGE, y + 5, width, 14, colour(number)))
            parts.append(text(_EDGE + width + 6, y + 16, f"{value:,.4g}{unit}"))
            y += STEP
    return picture(_WIDTH, y + 14, title, "".join(parts))


def save_chart(svg: str, path: str | Path) -> None:
    """Writes a chart. Raises StarspielError if it cannot."""
    try:
        Path(path).write_text(svg, encoding="utf-8")
    except OSError as error:
        raise StarspielError(f"cannot write the chart to {path}: {error.strerror}.") from None
