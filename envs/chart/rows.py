"""Draws rows from top to bottom: a dot with its interval for each name."""

from collections.abc import Sequence
from math import isfinite, isnan

from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.plot import FOOT, RIGHT, colour
from starspiel.envs.chart.svg import dot, inline, line, text

_WIDTH, _TOP = RIGHT + 26, 10.0
#: The maximum width of a letter in pixels, and the number of letters to which longer names are shortened.
_LETTER, _LETTERS = 8.4, 24


def interval_plot(rows: Sequence[tuple[str, float, float, float]], unit: str) -> str:
    """Returns a dot with its interval for each (name, value, low, high), for a page that has the stylesheet.

    Rows whose value is not finite are left out. Rows with NaN bounds have only a dot.
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


def _short(name: str, most: int) -> str:
    """Returns the start and the end of a long name; the end distinguishes programs with other arguments."""
    end = most // 3
    return name if len(name) <= most else f"{name[: most - end - 1]}…{name[-end:]}"
