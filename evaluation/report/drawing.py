"""The report's plots as inline SVG: no image files, no scripts, sharp on a phone and on paper."""

from collections.abc import Callable, Sequence
from html import escape
from math import isfinite, isnan

#: Colours that stay apart in print and for colour-blind readers (Okabe & Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")


def interval_plot(rows: Sequence[tuple[str, float, float, float]], unit: str) -> str:
    """A dot with its interval for each (name, value, low, high), from top to bottom.

    Rows without a value are left out; those with NaN bounds are a dot alone.
    """
    shown = [row for row in rows if isfinite(row[1])]
    if not shown:
        return ""
    ends = [end for row in shown for end in row[1:] if isfinite(end)]
    low, high = min(ends), max(ends)
    margin = 0.05 * (high - low or 1.0)
    low, high = low - margin, high + margin
    left, right, step, top = 170.0, 470.0, 26.0, 10.0
    bottom = top + step * len(shown)

    def x(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    parts = [_grid(low, high, x, top, bottom, unit)]
    for number, (name, value, from_, to) in enumerate(shown):
        y = top + step * (number + 0.5)
        title = f"{escape(name)}: {value:.4g}"
        parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{escape(_short(name))}</text>')
        if not (isnan(from_) or isnan(to)):
            title += f" ({from_:.4g} to {to:.4g})"
            from_, to = max(from_, low), min(to, high)  # an open end reaches the edge
            parts.append(
                f'<line x1="{x(from_):.1f}" x2="{x(to):.1f}" y1="{y}" y2="{y}" stroke="{COLOURS[0]}" '
                'stroke-width="3"/>'
            )
        parts.append(
            f'<circle cx="{x(value):.1f}" cy="{y}" r="5" fill="{COLOURS[1]}">'
            f"<title>{title} {escape(unit)}</title></circle>"
        )
    return _svg(480, bottom + 32, parts, f"{unit} with 95 % intervals")


def line_plot(
    lines: Sequence[tuple[str, Sequence[tuple[float, float]]]], low: float, high: float, unit: str
) -> str:
    """One line for each (name, points); y from `low` to `high`."""
    if not any(points for _, points in lines):
        return ""
    left, right, top, bottom = 45.0, 470.0, 12.0, 190.0
    last = max(point[0] for _, points in lines for point in points) or 1.0

    def x(value: float) -> float:
        return left + (right - left) * value / last

    def y(value: float) -> float:
        return bottom - (bottom - top) * (value - low) / (high - low)

    parts = []
    for tick in (low, (low + high) / 2, high):
        parts.append(
            f'<line class="grid" x1="{left}" x2="{right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
            f'<text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:.3g}</text>'
        )
    for tick in _ticks(0.0, last):
        parts.append(f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')
    for number, (name, points) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        parts.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>'
            f'<rect x="{left + 6}" y="{bottom + 30 + 18 * number}" width="12" height="4" fill="{colour}"/>'
            f'<text x="{left + 26}" y="{bottom + 36 + 18 * number}">{escape(name)}</text>'
        )
    return _svg(480, bottom + 40 + 18 * len(lines), parts, unit)


def bar_plot(bars: Sequence[tuple[str, float]], unit: str) -> str:
    """Bars from left to right for each (label, count), as a histogram has them."""
    if not bars:
        return ""
    left, right, top, bottom = 40.0, 470.0, 10.0, 150.0
    width, tallest = (right - left) / len(bars), max(count for _, count in bars) or 1.0
    parts = [f'<text x="{left - 8}" y="{top + 8}" text-anchor="end">{tallest:g}</text>']
    for number, (label, count) in enumerate(bars):
        height = (bottom - top) * count / tallest
        x = left + width * number
        parts.append(
            f'<rect x="{x + 1:.1f}" y="{bottom - height:.1f}" width="{width - 2:.1f}" height="{height:.1f}" '
            f'fill="{COLOURS[0]}"><title>{escape(label)}: {count:g}</title></rect>'
        )
        if number % -(-len(bars) // 8) == 0:
            parts.append(
                f'<text x="{x + width / 2:.1f}" y="{bottom + 18}" text-anchor="middle">{escape(label)}</text>'
            )
    return _svg(480, bottom + 28, parts, unit)


def heat(share: float) -> str:
    """A background colour for a score between 0 (orange) and 1 (blue); black text stays readable on it."""
    far = max(-1.0, min(1.0, 2.0 * share - 1.0))
    red, green, blue = (86, 180, 233) if far > 0 else (230, 159, 0)
    mix = abs(far)
    return "#" + "".join(f"{round(255 + (channel - 255) * mix):02x}" for channel in (red, green, blue))


def _grid(low: float, high: float, x: Callable[[float], float], top: float, bottom: float, unit: str) -> str:
    parts = []
    for tick in _ticks(low, high):
        parts.append(
            f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{top}" y2="{bottom}"/>'
            f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>'
        )
    parts.append(f'<text x="470" y="{bottom + 31}" text-anchor="end">{escape(unit)}</text>')
    return "".join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers inside the range, about five."""
    span = high - low
    step = 10.0 ** len(str(int(span))) if span >= 1 else 1.0
    while span / step < 3:
        step /= 2 if span / step * 2 >= 3 else 2.5 if span / step * 2.5 >= 3 else 5
    first = -(-low // step) * step
    return [round(first + step * number, 10) for number in range(int((high - first) / step) + 1)]


def _short(name: str) -> str:
    return name if len(name) <= 24 else name[:23] + "…"


def _svg(width: float, height: float, parts: Sequence[str], label: str) -> str:
    box = f"0 0 {width:g} {height:g}"
    return f'<svg viewBox="{box}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
