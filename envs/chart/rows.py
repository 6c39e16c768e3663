"""Rows from top to bottom: a dot with its interval for each name, or bars."""

from collections.abc import Sequence
from math import isfinite, isnan

from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.plot import FOOT, RIGHT, colour
from starspiel.envs.chart.svg import STEP, bar, dot, inline, line, picture, text, wrapped
from starspiel.envs.errors import StarspielError

_WIDTH, _TOP, _EDGE = RIGHT + 26, 10.0, 14.0
#: The width of a letter at most; longer names are shortened to so many.
_LETTER, _LETTERS = 8.4, 24


def interval_plot(rows: Sequence[tuple[str, float, float, float]], unit: str) -> str:
    """A dot with its interval for each (name, value, low, high), for a page that has the stylesheet.

    Rows without a value are left out; those with NaN bounds are a dot alone.
    """
    shown = [row for row in rows if isfinite(row[1])]
    if not shown:
        return ""
    ends = [end for row in shown for end in row[1:] if isfinite(end)]
    names = [_short(row[0], _LETTERS) for row in shown]
    x = Axis.around(unit, ends, 12.0 + _LETTER * max(8, *map(len, names)), RIGHT)
    step = 26.0
    bottom = _TOP + step * len(shown)
    parts = [x.across(bottom, _TOP)]
    for number, (name, value, low, high) in enumerate(shown):
        y = _TOP + step * (number + 0.5)
        title = f"{name}: {value:.4g}"
        parts.append(text(x.start - 10, y + 4, names[number], text_anchor="end"))
        if not (isnan(low) or isnan(high)):
            title += f" ({low:.4g} to {high:.4g})"
            # An open end reaches the edge.
            parts.append(line((x.inside(low), y), (x.inside(high), y), colour(0), stroke_width=3))
        parts.append(dot(x.at(value), y, 5, colour(1), f"{title} {unit}"))
    return inline(_WIDTH, bottom + FOOT, f"{unit} with 95 % intervals", "".join(parts))


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


def _short(name: str, most: int) -> str:
    """Its beginning and its end, which tells programs with other arguments apart."""
    end = most // 3
    return name if len(name) <= most else f"{name[: most - end - 1]}…{name[-end:]}"
