"""The report's figures as inline SVG: no image files, no scripts, sharp on a phone and on paper.

Every figure has both axes with their units, and a line at zero where zero is among its values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, isnan, log10

#: Colours that stay apart in print and for colour-blind readers (Okabe & Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
_WIDTH, _RIGHT, _TOP = 480.0, 466.0, 10.0
#: Of a letter, at the most that a page makes of it; longer names are shortened to so many.
_LETTER, _LETTERS = 8.4, 24
#: Below a figure: the numbers of its axis, and what they are.
_FOOT = 40.0


@dataclass(frozen=True)
class Axis:
    """What lies along an axis: values from `low` to `high`, at `start` to `end` of the picture.

    Attributes:
        title: what the values are, with their unit.
        is_log: whether equal distances are equal ratios.
    """

    title: str
    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """Where a value is drawn."""
        if self.is_log:
            share = log10(value / self.low) / (log10(self.high / self.low) or 1.0)
        else:
            share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.start + (self.end - self.start) * share

    @property
    def ticks(self) -> list[float]:
        """Round values, about five; of ratios, powers of ten and, where these are few, 2 and 5 times them."""
        if not self.is_log:
            return _ticks(self.low, self.high)
        decades = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        steps = (1.0,) if len(decades) > 4 else (1.0, 2.0, 5.0) if len(decades) < 4 else (1.0, 3.0)
        values = [step * 10.0**power for power in decades for step in steps]
        return [value for value in values if self.low * 0.999 <= value <= self.high * 1.001]


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
    for number, (name, value, from_, to) in enumerate(shown):
        y = _TOP + step * (number + 0.5)
        title = f"{escape(name)}: {value:.4g}"
        parts.append(f'<text x="{x.start - 10}" y="{y + 4}" text-anchor="end">{escape(names[number])}</text>')
        if not (isnan(from_) or isnan(to)):
            title += f" ({from_:.4g} to {to:.4g})"
            from_, to = max(from_, x.low), min(to, x.high)  # an open end reaches the edge
            parts.append(_bar(x.at(from_), y, x.at(to), y))
        parts.append(_dot(x.at(value), y, f"{title} {unit}"))
    return _svg(bottom + _FOOT, parts, f"{unit} with 95 % intervals")


def line_plot(
    lines: Sequence[tuple[str, Sequence[tuple[float, float]]]], x: Axis, y: Axis, label: str
) -> str:
    """One line for each (name, points), with its name below."""
    if not any(points for _, points in lines):
        return ""
    bottom = y.start
    parts = [_across(x, y.end, bottom), _up(y, x.start, x.end)]
    legend = bottom + _FOOT + 10.0
    room = int((_RIGHT - x.start - 26.0) / _LETTER)
    for number, (name, points) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in points)
        dashes = ' stroke-dasharray="6 3"' if number >= len(COLOURS) else ""
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dashes} points="{path}"/>')
        at = legend + 18 * number
        parts.append(
            f'<line x1="{x.start}" x2="{x.start + 18}" y1="{at}" y2="{at}" stroke="{colour}" '
            f'stroke-width="3"{dashes}/>'
        )
        parts.append(f'<text x="{x.start + 26}" y="{at + 4}">{escape(_short(name, room))}</text>')
    return _svg(legend + 18 * len(lines), parts, label)


def value_axes(title_x: str, title_y: str, points: Sequence[tuple[float, float]]) -> tuple[Axis, Axis]:
    """The axes of a line plot that holds these points; from 0 along x."""
    last = max(point[0] for point in points)
    values = [point[1] for point in points]
    return (
        Axis(title_x, 0.0, last or 1.0, 62.0, _RIGHT),
        _padded(title_y, min(values), max(values), 200.0, _TOP),
    )


def ratio_axes(title_x: str, title_y: str, points: Sequence[tuple[float, float]]) -> tuple[Axis, Axis]:
    """The same where equal distances along x are equal ratios; x above 0."""
    xs, values = [point[0] for point in points], [point[1] for point in points]
    low, high = min(xs), max(xs)
    if high < 2.0 * low:
        low, high = low / 2.0, high * 2.0
    return (
        Axis(title_x, low, high, 62.0, _RIGHT, is_log=True),
        _padded(title_y, min(values), max(values), 200.0, _TOP),
    )


def scatter_plot(
    points: Sequence[tuple[str, float, float, float, float]],
    frontier: Sequence[tuple[float, float]],
    x: Axis,
    y: Axis,
    label: str,
) -> str:
    """A numbered dot with its interval for each (name, x, y, low, high); the frontier is a line."""
    bottom = y.start
    path = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in frontier)
    parts = [_across(x, y.end, bottom), _up(y, x.start, x.end)]
    parts.append(f'<polyline fill="none" stroke="{COLOURS[2]}" stroke-width="2" points="{path}"/>')
    for number, (name, across, up, low, high) in enumerate(points, start=1):
        at = x.at(across)
        if not (isnan(low) or isnan(high)):
            parts.append(_bar(at, y.at(max(low, y.low)), at, y.at(min(high, y.high))))
        title = f"{number} {escape(name)}: {up:.4g} {y.title}, {across:.3g} {x.title}"
        parts.append(_dot(at, y.at(up), title))
        side, anchor = (-9, "end") if at > _RIGHT - 30.0 else (9, "start")
        parts.append(
            f'<text x="{at + side:.1f}" y="{y.at(up) - 6:.1f}" text-anchor="{anchor}">{number}</text>'
        )
    return _svg(bottom + _FOOT, parts, label)


def bar_plot(bars: Sequence[tuple[str, float]], title_x: str, title_y: str) -> str:
    """Bars from left to right for each (label, count), as a histogram has them."""
    if not bars:
        return ""
    bottom = 160.0
    y = Axis(title_y, 0.0, max(count for _, count in bars) or 1.0, bottom, _TOP)
    left = 62.0
    width = (_RIGHT - left) / len(bars)
    parts = [
        _up(y, left, _RIGHT),
        f'<line class="zero" x1="{left}" x2="{_RIGHT}" y1="{bottom}" y2="{bottom}"/>',
    ]
    for number, (label, count) in enumerate(bars):
        x = left + width * number
        parts.append(
            f'<rect x="{x + 1:.1f}" y="{y.at(count):.1f}" width="{max(width - 2, 0.5):.1f}" '
            f'height="{bottom - y.at(count):.1f}" fill="{COLOURS[0]}">'
            f"<title>{escape(label)}: {count:g}</title></rect>"
        )
        if number % -(-len(bars) // 8) == 0:
            middle = x + width / 2
            parts.append(
                f'<text x="{middle:.1f}" y="{bottom + 18}" text-anchor="middle">{escape(label)}</text>'
            )
    parts.append(_titled(title_x, left, _RIGHT, bottom))
    return _svg(bottom + _FOOT, parts, f"{title_y} by {title_x}")


def heat(share: float) -> str:
    """A background colour for a score between 0 (orange) and 1 (blue); black text stays readable on it."""
    far = max(-1.0, min(1.0, 2.0 * share - 1.0))
    red, green, blue = (86, 180, 233) if far > 0 else (230, 159, 0)
    mix = abs(far)
    return "#" + "".join(f"{round(255 + (channel - 255) * mix):02x}" for channel in (red, green, blue))


def _padded(title: str, low: float, high: float, start: float, end: float) -> Axis:
    margin = 0.05 * (high - low or 1.0)
    return Axis(title, low - margin, high + margin, start, end)


def _across(axis: Axis, top: float, bottom: float) -> str:
    """The horizontal axis at the bottom, with lines up from its ticks."""
    return _lines(axis, lambda at: f'x1="{at}" x2="{at}" y1="{top}" y2="{bottom}"') + "".join(
        [
            f'<text x="{axis.at(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>'
            for tick in axis.ticks
        ]
        + [_titled(axis.title, axis.start, axis.end, bottom)]
    )


def _up(axis: Axis, left: float, right: float) -> str:
    """The vertical axis at the left, with lines across from its ticks."""
    middle = (axis.start + axis.end) / 2
    return _lines(axis, lambda at: f'x1="{left}" x2="{right}" y1="{at}" y2="{at}"') + "".join(
        [
            f'<text x="{left - 8}" y="{axis.at(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
            for tick in axis.ticks
        ]
        + [
            f'<text class="title" x="0" y="0" transform="translate(13 {middle:.1f}) rotate(-90)" '
            f'text-anchor="middle">{escape(axis.title)}</text>'
        ]
    )


def _lines(axis: Axis, ends: Callable[[str], str]) -> str:
    """A thin line at each tick, and a thick one at zero, where that is among the values."""
    ticks = "".join(f'<line class="grid" {ends(f"{axis.at(tick):.1f}")}/>' for tick in axis.ticks)
    has_zero = not axis.is_log and axis.low <= 0.0 <= axis.high
    return ticks + (f'<line class="zero" {ends(f"{axis.at(0.0):.1f}")}/>' if has_zero else "")


def _titled(title: str, left: float, right: float, bottom: float) -> str:
    middle = (left + right) / 2
    return (
        f'<text class="title" x="{middle:.1f}" y="{bottom + 34}" text-anchor="middle">{escape(title)}</text>'
    )


def _bar(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" stroke="{COLOURS[0]}" '
        'stroke-width="3"/>'
    )


def _dot(x: float, y: float, title: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{COLOURS[1]}"><title>{title}</title></circle>'


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers inside the range, about five."""
    span = high - low
    step = 10.0 ** len(str(int(span))) if span >= 1 else 1.0
    while span / step < 3:
        step /= 2 if span / step * 2 >= 3 else 2.5 if span / step * 2.5 >= 3 else 5
    first = -(-low // step) * step
    # A tick at zero is 0, and not -0.
    return [round(first + step * number, 10) + 0.0 for number in range(int((high - first) / step) + 1)]


def _short(name: str, most: int) -> str:
    """Its beginning and its end, which tells programs with other arguments apart."""
    end = most // 3
    return name if len(name) <= most else f"{name[: most - end - 1]}…{name[-end:]}"


def _svg(height: float, parts: Sequence[str], label: str) -> str:
    box = f"0 0 {_WIDTH:g} {height:g}"
    return f'<svg viewBox="{box}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
