"""`Plot`: lines, points and bars between two axes, with a legend below."""

from math import cos, hypot, isnan, pi, sin

from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.svg import (
    STEP,
    Attribute,
    Points,
    bar,
    dot,
    element,
    inline,
    line,
    picture,
    text,
    wrapped,
)

#: In pixels: the plot's edges, and the space below it for the numbers and the title of its axis.
LEFT, RIGHT, TOP, BOTTOM, FOOT = 62.0, 454.0, 24.0, 224.0, 42.0
#: In pixels: the margin around text, and the space right of a plot, for half of the last number.
_EDGE, _BESIDE = 14.0, 26.0
#: The number of colours in the palette.
COLOURS = 7
#: Where the number of a dot may be: distances, directions in sixteenths of a turn, least gap to others.
_AWAY, _TURNS, _APART = (13.0, 20.0, 30.0, 42.0), (2, 14, 6, 10, 0, 8, 4, 12, 1, 3, 5, 7, 9, 11, 13, 15), 12.5


def colour(number: int) -> str:
    """Returns the CSS class of a colour of the palette."""
    return f"c{number % COLOURS}"


class Plot:
    """Lines, points and bars between two axes. Values outside an axis are clamped to its end."""

    def __init__(self, x: Axis, y: Axis) -> None:
        self.x, self.y = x, y
        self._parts = [x.across(y.start, y.end), y.up(x.start, x.end)]
        self._above: list[str] = []
        self._legend: list[tuple[str, str]] = []

    def line(self, points: Points, kind: str, name: str = "", dashes: str | None = None) -> None:
        """Draws a line from point to point; its name is in the legend."""
        path = " ".join(f"{self.x.inside(a):.1f},{self.y.inside(b):.1f}" for a, b in points)
        style: dict[str, Attribute] = {"fill": "none", "stroke": "currentColor", "stroke_width": 2}
        self._parts.append(element("polyline", points=path, class_=kind, stroke_dasharray=dashes, **style))
        sample = line((0, -4), (24, -4), kind, stroke_width=2.5, stroke_dasharray=dashes)
        self._legend += [(sample, name)] if name else []

    def dot(self, x: float, y: float, kind: str, title: str = "", radius: float = 4) -> None:
        """Draws a point with a tooltip."""
        self._parts.append(dot(self.x.inside(x), self.y.inside(y), radius, kind, title))

    def interval(self, x: float, low: float, high: float, kind: str) -> None:
        """Draws a vertical line over an interval; nothing if a bound is NaN."""
        if not (isnan(low) or isnan(high)):
            at = self.x.at(x)
            ends = (at, self.y.inside(low)), (at, self.y.inside(high))
            self._parts.append(line(*ends, kind, stroke_width=3, stroke_opacity="0.6"))

    def bar(self, low: float, high: float, value: float, title: str) -> None:
        """Draws a bar from `low` to `high` along x with a height of `value`."""
        x, top = self.x.at(low), self.y.at(value)
        width = max(self.x.at(high) - x - 1, 0.5)
        self._parts.append(bar(x, top, width, self.y.at(0.0) - top, colour(0), title))

    def mark(self, x: float, name: str, kind: str, below: int = 0) -> None:
        """Draws a vertical line with its name beside it, `below` lines down, on the side with more room."""
        at = self.x.at(x)
        self._parts.append(line((at, self.y.start), (at, self.y.end), kind, stroke_width=2))
        right = at > self.x.start + 0.8 * (self.x.end - self.x.start)
        self._above.append(
            text(
                at + (-4 if right else 4),
                self.y.end,
                name,
                **{"dy": f"{1 + 1.1 * below:.1f}em", "text_anchor": "end" if right else "start"},
                **{"class_": f"halo {kind}", "fill": "currentColor"},
            )
        )

    def numbers(self, points: Points) -> None:
        """Writes the number of each point, from 1, at the nearest place free of points and numbers."""
        dots = [(self.x.at(a), self.y.at(b)) for a, b in points]
        taken = list(dots)
        ways = [(away * cos(turn * pi / 8), -away * sin(turn * pi / 8)) for away in _AWAY for turn in _TURNS]
        for number, (x, y) in enumerate(dots, start=1):
            spots = [
                (x + dx, y + dy)
                for dx, dy in ways
                if self.x.start < x + dx < self.x.end + 6 and self.y.end - 8 < y + dy < self.y.start - 6
            ]
            room = [min(hypot(a - c, b - d) for c, d in taken) for a, b in spots]
            spot = spots[next((n for n, least in enumerate(room) if least >= _APART), room.index(max(room)))]
            taken.append(spot)
            self._above.append(text(*spot, f"{number}", text_anchor="middle", dy="0.35em", class_="halo"))

    def raw(self, svg: str) -> None:
        """Adds raw SVG."""
        self._parts.append(svg)

    def inline(self, label: str, foot: float = FOOT, **attributes: Attribute) -> str:
        """Returns the plot for a page that has the stylesheet."""
        body, height = self._body(foot)
        return inline(self.x.end + _BESIDE, height, label, body, **attributes)

    def file(self, title: str, notes: str = "") -> str:
        """Returns the plot as a self-contained file with a title and notes."""
        width = self.x.end + _BESIDE
        heads = wrapped(title, width - 2 * _EDGE, 14)
        more = wrapped(notes, width - 2 * _EDGE) if notes else []
        head = "".join(
            text(
                _EDGE, 22 + STEP * n, each, **{"font_weight": 600, "font_size": 14} if n < len(heads) else {}
            )
            for n, each in enumerate((*heads, *more))
        )
        body, height = self._body(FOOT)
        down = STEP * (len(heads) + len(more)) + 14
        moved = element("g", body, transform=f"translate(0 {down:g})")
        return picture(width, height + down, title, head + moved)

    def _body(self, foot: float) -> tuple[str, float]:
        parts, top = [*self._parts, *self._above], self.y.start + foot
        for sample, name in self._legend:
            parts.append(element("g", sample, transform=f"translate({self.x.start:g} {top + STEP:g})"))
            # Wrapped for larger letters, as on a phone.
            for each in wrapped(name, self.x.end - self.x.start - 32, 14):
                top += STEP
                parts.append(text(self.x.start + 32, top, each))
        return "".join(parts), top + 8
