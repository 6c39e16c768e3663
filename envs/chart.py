"""The pieces of a chart as SVG: axes with round ticks, lines, bars, intervals, points and labels.

Places are pixels, x to the right and y down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

#: Colours that stay apart in print and for colour-blind readers (Okabe & Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
_GRID = "#dddddd"
#: The width of a letter at most on average, as a share of its size: bold ones are so wide.
_LETTER = 0.6

Attribute = float | str | None
Points = Sequence[tuple[float, float]]


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

    def inside(self, value: float) -> float:
        """Where a value is drawn, at the nearer end if the axis does not reach it."""
        return self.at(min(self.high, max(self.low, value)))

    @property
    def ticks(self) -> list[float]:
        """Round values, about five; of ratios, powers of ten and, if these are few, 2 and 5 times them."""
        if not self.is_log:
            values = round_numbers(self.low, self.high, most=7)
            return [value for value in values if self.low <= value <= self.high]
        decades = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        steps = (1.0,) if len(decades) > 4 else (1.0, 2.0, 5.0) if len(decades) < 4 else (1.0, 3.0)
        values = [step * 10.0**power for power in decades for step in steps]
        return [value for value in values if self.low * 0.999 <= value <= self.high * 1.001]


def round_numbers(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from one at or below `low` to one at or above `high`, at most about `most` steps."""
    span = high - low or abs(high) or 1.0
    step = 10.0 ** floor(log10(span / 5))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if span / (step * factor) <= most)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(step * number, 12) for number in range(first, last + 1)]


def element(name: str, inside: str = "", /, **attributes: Attribute) -> str:
    """An element around other SVG; `_` in an attribute's name is a hyphen, and None leaves it out."""
    told = ""
    for key, value in attributes.items():
        if value is not None:
            said = escape(value) if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
            told += f' {key.rstrip("_").replace("_", "-")}="{said}"'
    return f"<{name}{told}>{inside}</{name}>" if inside else f"<{name}{told}/>"


def text(x: float, y: float, words: str, /, **attributes: Attribute) -> str:
    """Words that begin at a place, or end there if `text_anchor` is "end"."""
    return element("text", escape(words), x=x, y=y, **attributes)


def turned(x: float, y: float, words: str, /, **attributes: Attribute) -> str:
    """Words that run upwards, with their middle at a place: the title of a vertical axis."""
    way = f"translate({x:.1f} {y:.1f}) rotate(-90)"
    return text(0, 0, words, **{"transform": way, "text_anchor": "middle", **attributes})


def paragraph(
    x: float, y: float, words: str, width: float, /, *, font_size: float = 12, **attributes: Attribute
) -> tuple[str, float]:
    """Words in lines that are no longer than `width`, and where the next line would be."""
    lines, letters = [""], int(width / (_LETTER * font_size))
    for word in words.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > letters:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".lstrip()
        while len(lines[-1]) > letters:
            lines[-1:] = [lines[-1][:letters], lines[-1][letters:]]
    step = 1.35 * font_size
    drawn = [text(x, y + step * n, each, font_size=font_size, **attributes) for n, each in enumerate(lines)]
    return "".join(drawn), y + step * len(lines)


def line(
    start: tuple[float, float], end: tuple[float, float], colour: str, /, **attributes: Attribute
) -> str:
    """A straight line between two places."""
    (x1, y1), (x2, y2) = start, end
    return element("line", x1=x1, x2=x2, y1=y1, y2=y2, stroke=colour, **attributes)


def polyline(points: Points, colour: str, /, **attributes: Attribute) -> str:
    """A line from place to place."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return element("polyline", points=path, fill="none", stroke=colour, **{"stroke_width": 2, **attributes})


def dot(x: float, y: float, radius: float, colour: str, title: str = "", /, **attributes: Attribute) -> str:
    """A point that says its title when it is pointed at."""
    return element("circle", titled(title), cx=x, cy=y, r=radius, fill=colour, **attributes)


def bar(x: float, y: float, width: float, height: float, colour: str, title: str = "") -> str:
    """A filled rectangle, from its upper left corner."""
    return element("rect", titled(title), x=x, y=y, width=width, height=height, fill=colour)


def titled(title: str) -> str:
    """What an element says when it is pointed at."""
    return title and element("title", escape(title))


def legend(x: float, y: float, name: str, colour: str, dashes: str | None = None) -> str:
    """A short piece of a line, and its name to the right."""
    sample = line((x, y - 4), (x + 24, y - 4), colour, stroke_width=2.5, stroke_dasharray=dashes)
    return sample + text(x + 32, y, name)


def across(
    axis: Axis, bottom: float, top: float | None = None, ticks: Sequence[tuple[float, str]] | None = None
) -> str:
    """The numbers below a horizontal axis, with thin lines up to `top`; `ticks`: values and their text."""
    parts = ""
    for x, words in _places(axis, ticks):
        parts += "" if top is None else line((x, top), (x, bottom), _GRID)
        parts += text(x, bottom + 18, words, text_anchor="middle")
    return parts


def up(axis: Axis, left: float, right: float, ticks: Sequence[tuple[float, str]] | None = None) -> str:
    """The numbers left of a vertical axis, with thin lines to the right; `ticks`: values and their text."""
    return "".join(
        line((left, y), (right, y), _GRID) + text(left - 6, y, words, dy="0.35em", text_anchor="end")
        for y, words in _places(axis, ticks)
    )


def _places(axis: Axis, ticks: Sequence[tuple[float, str]] | None) -> list[tuple[float, str]]:
    """Where on an axis which numbers stand."""
    shown = [(tick, f"{tick:g}") for tick in axis.ticks] if ticks is None else ticks
    return [(axis.at(value), words) for value, words in shown]


def picture(width: float, height: float, title: str, body: str, size: float = 12) -> str:
    """A chart as a file that needs nothing else, on white, with letters of this size."""
    ground = element("rect", width="100%", height="100%", fill="#ffffff")
    head: dict[str, Attribute] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {width:.0f} {height:.0f}",
        **{"width": round(width), "height": round(height), "font_family": "system-ui, sans-serif"},
        **{"font_size": size, "role": "img"},
    }
    return element("svg", titled(title) + ground + body, **head) + "\n"
