"""The reliability picture: what an evaluator says, from left to right, and what is true, upward."""

from collections.abc import Sequence
from math import isnan

from starspiel.agents.calibration.fit import Fit
from starspiel.envs.chart import (
    COLOURS,
    Axis,
    across,
    dot,
    line,
    paragraph,
    picture,
    polyline,
    text,
    turned,
    up,
)

#: Pixels: the plot's edges below a short title, and the whole width.
_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 464.0, 56.0, 416.0
_WIDTH = 488.0
_BLUE, _RED, _SKY = COLOURS[0], COLOURS[1], COLOURS[5]


def reliability_picture(
    title: str, fit: Fit | None, values: Sequence[float], truths: Sequence[float], truth: str
) -> str:
    """The positions as points, the bins with their 95 % intervals, the line, and the value itself dashed."""
    ends = [end for each in (fit.bins if fit else ()) for end in _ends(each.truth, each.margin)]
    x = _axis("what the evaluator says, in return", values, _LEFT, _RIGHT)
    head, top = paragraph(16, 22, title, _RIGHT - 16, font_weight=600, font_size=14)
    said, top = paragraph(16, top + 2, f"up: what a position is worth, by {truth}", _RIGHT - 16)
    down = max(0.0, top + 6 - _TOP)
    bottom, top = _BOTTOM + down, _TOP + down
    y = _axis("expected return", [*truths, *ends], bottom, top)
    parts = [
        head,
        said,
        across(x, bottom, top),
        up(y, _LEFT, _RIGHT),
    ]
    parts += [
        dot(x.at(value), y.at(true), 2.5, _SKY, class_="point", opacity="0.35")
        for value, true in zip(values, truths, strict=True)
    ]
    low, high = max(x.low, y.low), min(x.high, y.high)
    if low < high:
        same = [(x.at(end), y.at(end)) for end in (low, high)]
        parts.append(polyline(same, "#777777", stroke_width=1, stroke_dasharray="4 4"))
    if fit is not None:
        fitted = [(end, fit.offset.value + fit.slope.value * end) for end in (min(values), max(values))]
        parts.append(polyline([(x.at(value), y.at(true)) for value, true in fitted], _RED))
        for each in fit.bins:
            middle = x.at(each.value)
            low, high = _ends(each.truth, each.margin)
            told = f"says {each.value:+.4f}, is worth {each.truth:+.4f} ({each.positions} positions)"
            parts.append(line((middle, y.at(low)), (middle, y.at(high)), _BLUE, stroke_width=2))
            parts.append(dot(middle, y.at(each.truth), 4.5, _BLUE, told, class_="bin"))
    words = "dots: bins with 95 % intervals; line: least squares; dashed: the value itself"
    key, height = paragraph(16, bottom + 60, words, _RIGHT - 16)
    parts += [
        text((_LEFT + _RIGHT) / 2, bottom + 38, x.title, text_anchor="middle"),
        turned(16, (top + bottom) / 2, y.title),
        key,
    ]
    return picture(_WIDTH, height, title, "".join(parts))


def _ends(middle: float, margin: float) -> tuple[float, float]:
    return (middle, middle) if isnan(margin) else (middle - margin, middle + margin)


def _axis(title: str, values: Sequence[float], start: float, end: float) -> Axis:
    """An axis with some room around the values."""
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or 0.5
    return Axis(title, low - room, high + room, start, end)
