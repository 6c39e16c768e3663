"""The reliability picture: what an evaluator says, from left to right, and what is true, upward."""

from collections.abc import Sequence
from html import escape
from math import isnan, log10

from starspiel.agents.calibration.fit import Fit

#: Pixels: the plot's edges, the whole width and height.
_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 464.0, 56.0, 416.0
_WIDTH, _HEIGHT = 488.0, 490.0
_STYLE = """
text{font:12px system-ui,sans-serif;fill:#1a1a1a}.title{font-weight:600;font-size:14px}.grid{stroke:#ddd}
.point{fill:#56b4e9;opacity:.35}.line{stroke:#d55e00;stroke-width:2;fill:none}
.same{stroke:#777;stroke-dasharray:4 4;fill:none}.bin{fill:#0072b2}.margin{stroke:#0072b2;stroke-width:2}
"""


def reliability_picture(
    title: str, fit: Fit | None, values: Sequence[float], truths: Sequence[float], truth: str
) -> str:
    """The positions as points, the bins with their 95 % intervals, the line, and the value itself dashed."""
    x_low, x_high = _around(values)
    ends = [end for each in (fit.bins if fit else ()) for end in _ends(each.truth, each.margin)]
    y_low, y_high = _around([*truths, *ends])

    def x(value: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * (value - x_low) / (x_high - x_low)

    def y(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (value - y_low) / (y_high - y_low)

    parts = [f'<text class="title" x="{_LEFT:g}" y="22">{escape(_short(title))}</text>']
    for tick in _ticks(x_low, x_high):
        parts.append(
            f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{_TOP:g}" y2="{_BOTTOM:g}"/>'
            f'<text x="{x(tick):.1f}" y="{_BOTTOM + 18:g}" text-anchor="middle">{tick:g}</text>'
        )
    for tick in _ticks(y_low, y_high):
        parts.append(
            f'<line class="grid" y1="{y(tick):.1f}" y2="{y(tick):.1f}" x1="{_LEFT:g}" x2="{_RIGHT:g}"/>'
            f'<text x="{_LEFT - 8:g}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        )
    parts += [
        f'<circle class="point" cx="{x(value):.1f}" cy="{y(true):.1f}" r="2.5"/>'
        for value, true in zip(values, truths, strict=True)
    ]
    inside = max(x_low, y_low), min(x_high, y_high)
    if inside[0] < inside[1]:
        parts.append(_path("same", [(x(end), y(end)) for end in inside]))
    if fit is not None:
        lines = [(end, fit.offset.value + fit.slope.value * end) for end in (min(values), max(values))]
        parts.append(_path("line", [(x(value), y(line)) for value, line in lines]))
        for each in fit.bins:
            low, high = _ends(each.truth, each.margin)
            middle = x(each.value)
            parts.append(
                f'<line class="margin" x1="{middle:.1f}" x2="{middle:.1f}" y1="{y(low):.1f}" '
                f'y2="{y(high):.1f}"/>'
                f'<circle class="bin" cx="{middle:.1f}" cy="{y(each.truth):.1f}" r="4.5"><title>says '
                f"{each.value:+.4f}, is worth {each.truth:+.4f} ({each.positions} positions)</title></circle>"
            )
    parts += [
        f'<text x="{_RIGHT:g}" y="{_BOTTOM + 38:g}" text-anchor="end">what the evaluator says</text>',
        f'<text x="{_LEFT:g}" y="44">what it is worth, by {escape(_short(truth))}</text>',
        f'<text x="{_LEFT:g}" y="{_BOTTOM + 58:g}">dots: bins with 95 % intervals; line: least squares; '
        "dashed: the value itself</text>",
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" width="{_WIDTH:g}" '
        f'height="{_HEIGHT:g}" role="img"><title>{escape(title)}</title><style>{_STYLE}</style>'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _ends(middle: float, margin: float) -> tuple[float, float]:
    return (middle, middle) if isnan(margin) else (middle - margin, middle + margin)


def _around(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room


def _path(kind: str, points: Sequence[tuple[float, float]]) -> str:
    return f'<path class="{kind}" d="M{" ".join(f"{a:.1f} {b:.1f}" for a, b in points)}"/>'


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers inside the range, about five."""
    step = 10.0 ** round(log10((high - low) / 5))
    for factor in (5.0, 2.0, 1.0, 0.5, 0.2):
        if (high - low) / (step * factor) >= 4:
            step *= factor
            break
    first = -(-low // step)
    return [round((first + number) * step, 10) for number in range(int(high / step - first) + 1)]


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
