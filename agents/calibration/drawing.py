"""The reliability picture: what an evaluator says, from left to right, and what is true, upward."""

from collections.abc import Sequence
from math import isnan

from starspiel.agents.calibration.fit import Fit
from starspiel.envs.chart import COLOURS, Axis, across, dot, line, picture, polyline, text, up

#: Pixels: the plot's edges, the whole width and height.
_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 464.0, 56.0, 416.0
_WIDTH, _HEIGHT = 488.0, 490.0
_BLUE, _RED, _SKY = COLOURS[0], COLOURS[1], COLOURS[5]


def reliability_picture(
    title: str, fit: Fit | None, values: Sequence[float], truths: Sequence[float], truth: str
) -> str:
    """The positions as points, the bins with their 95 % intervals, the line, and the value itself dashed."""
    ends = [end for each in (fit.bins if fit else ()) for end in _ends(each.truth, each.margin)]
    x = _axis("what the evaluator says", values, _LEFT, _RIGHT)
    y = _axis(f"what it is worth, by {_short(truth)}", [*truths, *ends], _BOTTOM, _TOP)
    parts = [
        text(_LEFT, 22, _short(title), font_weight=600, font_size=14),
        across(x, _BOTTOM, _TOP),
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
    key = "dots: bins with 95 % intervals; line: least squares; dashed: the value itself"
    parts += [
        text(_RIGHT, _BOTTOM + 38, x.title, text_anchor="end"),
        text(_LEFT, 44, y.title),
        text(_LEFT, _BOTTOM + 58, key),
    ]
    return picture(_WIDTH, _HEIGHT, title, "".join(parts))


def _ends(middle: float, margin: float) -> tuple[float, float]:
    return (middle, middle) if isnan(margin) else (middle - margin, middle + margin)


def _axis(title: str, values: Sequence[float], start: float, end: float) -> Axis:
    """An axis with some room around the values."""
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or 0.5
    return Axis(title, low - room, high + room, start, end)


def _short(words: str) -> str:
    return words if len(words) <= 60 else words[:59] + "…"
