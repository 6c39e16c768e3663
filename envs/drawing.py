"""Drawings made of simple shapes, which can be rendered as pixels or as an SVG.

Coordinates are pixels, x to the right and y down; colours are (red, green, blue) from 0 to 255.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, Concatenate, ParamSpec

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.chart.svg import element
from starspiel.envs.raster import INK, PAPER, WHITE, Canvas, Colour, mixed

P = ParamSpec("P")


@dataclass(frozen=True)
class Box:
    """A filled rectangle with rounded corners, and an outline of 2 pixels inside it if there is an `edge`."""

    x: float
    y: float
    width: float
    height: float
    colour: Colour
    radius: float = 0
    edge: Colour | None = None

    def paint(self, canvas: Canvas) -> None:
        x, y, width, height, radius = self.x, self.y, self.width, self.height, self.radius
        if self.edge is not None:
            Box(x, y, width, height, self.edge, radius).paint(canvas)
            Box(x + 2, y + 2, width - 4, height - 4, self.colour, max(radius - 2, 0)).paint(canvas)
            return

        def distance(columns: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
            across = np.abs(columns - (x + width / 2)) - width / 2 + radius
            down = np.abs(rows - (y + height / 2)) - height / 2 + radius
            outside = np.hypot(np.maximum(across, 0), np.maximum(down, 0))
            return outside + np.minimum(np.maximum(across, down), 0) - radius

        canvas.fill((x, y, x + width, y + height), self.colour, distance)

    def svg(self) -> str:
        inset = 0.0 if self.edge is None else 1.0
        place = {"x": self.x + inset, "y": self.y + inset}
        size = {"width": self.width - 2 * inset, "height": self.height - 2 * inset}
        rx = self.radius - inset if self.radius > inset else None
        return element("rect", **place, **size, rx=rx, fill=hexadecimal(self.colour), **_outline(self.edge))


@dataclass(frozen=True)
class Disc:
    """A filled circle around (x, y), and an outline of 2 pixels inside it if there is an `edge`."""

    x: float
    y: float
    radius: float
    colour: Colour
    edge: Colour | None = None

    def paint(self, canvas: Canvas) -> None:
        x, y, radius = self.x, self.y, self.radius
        if self.edge is not None:
            Disc(x, y, radius, self.edge).paint(canvas)
            radius -= 2
        bounds = (x - radius, y - radius, x + radius, y + radius)
        canvas.fill(bounds, self.colour, lambda columns, rows: np.hypot(columns - x, rows - y) - radius)

    def svg(self) -> str:
        radius = self.radius if self.edge is None else self.radius - 1
        fill = hexadecimal(self.colour)
        return element("circle", cx=self.x, cy=self.y, r=radius, fill=fill, **_outline(self.edge))


@dataclass(frozen=True)
class Line:
    """A straight line with round ends."""

    x0: float
    y0: float
    x1: float
    y1: float
    colour: Colour
    width: float = 2

    def paint(self, canvas: Canvas) -> None:
        x0, y0, x1, y1, half = self.x0, self.y0, self.x1, self.y1, self.width / 2
        length = (x1 - x0) ** 2 + (y1 - y0) ** 2

        def distance(columns: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
            along = (columns - x0) * (x1 - x0) + (rows - y0) * (y1 - y0)
            along = np.clip(along / length, 0, 1) if length else 0.0 * along
            return np.hypot(columns - x0 - along * (x1 - x0), rows - y0 - along * (y1 - y0)) - half

        bounds = (min(x0, x1) - half, min(y0, y1) - half, max(x0, x1) + half, max(y0, y1) + half)
        canvas.fill(bounds, self.colour, distance)

    def svg(self) -> str:
        path = f"M{_number(self.x0)} {_number(self.y0)}L{_number(self.x1)} {_number(self.y1)}"
        stroke = hexadecimal(self.colour)
        return element("path", d=path, stroke=stroke, stroke_width=self.width, stroke_linecap="round")


@dataclass(frozen=True)
class Polygon:
    """A filled convex polygon."""

    corners: tuple[tuple[float, float], ...]
    colour: Colour

    def paint(self, canvas: Canvas) -> None:
        edges = list(zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True))
        turn = np.sign(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in edges))

        def distance(columns: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
            furthest = np.full(np.broadcast_shapes(rows.shape, columns.shape), -np.inf, np.float32)
            for (x0, y0), (x1, y1) in edges:
                outwards = (y1 - y0) * (columns - x0) - (x1 - x0) * (rows - y0)
                furthest = np.maximum(furthest, outwards * turn / np.hypot(x1 - x0, y1 - y0))
            return furthest

        across, down = zip(*self.corners, strict=True)
        canvas.fill((min(across), min(down), max(across), max(down)), self.colour, distance)

    def svg(self) -> str:
        path = "L".join(f"{_number(x)} {_number(y)}" for x, y in self.corners)
        return element("path", d=f"M{path}Z", fill=hexadecimal(self.colour))


@dataclass(frozen=True)
class Text:
    """One line of text; (x, y) is its upper left corner, or its middle if `centred`."""

    text: str
    x: float
    y: float
    colour: Colour = INK
    scale: int = 2
    centred: bool = False

    def paint(self, canvas: Canvas) -> None:
        canvas.text(self.text, self.x, self.y, self.colour, self.scale, self.centred)

    def svg(self) -> str:
        # Capitals are 7 pixels high at scale 1, as in the font of the pixels.
        y = self.y + (3.5 if self.centred else 7) * self.scale
        anchor, fill = "middle" if self.centred else None, hexadecimal(self.colour)
        size = 9.6 * self.scale
        return element(
            "text", escape(self.text), x=self.x, y=y, font_size=size, text_anchor=anchor, fill=fill
        )


Shape = Box | Disc | Line | Polygon | Text
#: A rectangle of a drawing: x, y, width, height.
Area = tuple[float, float, float, float]


def _adding(kind: Callable[P, Shape]) -> Callable[Concatenate["Drawing", P], None]:
    """Returns a method of `Drawing` that adds a shape, with the shape's own parameters."""

    def add(drawing: "Drawing", /, *args: P.args, **keywords: P.kwargs) -> None:
        drawing.shapes.append(kind(*args, **keywords))

    return add


class Drawing:
    """Shapes drawn one over the other on a background of one colour.

    Attributes:
        words: sentences that describe the drawing for people who cannot see it.
        tray: x, y and the size of the dice of the last throw, for states that no longer show it; None if
            there is no room for them.
    """

    box = _adding(Box)
    disc = _adding(Disc)
    line = _adding(Line)
    polygon = _adding(Polygon)
    text = _adding(Text)

    def __init__(self, width: int, height: int, colour: Colour = PAPER) -> None:
        self.width = width
        self.height = height
        self.colour = colour
        self.shapes: list[Shape] = []
        self.words: list[str] = []
        self.tray: tuple[float, float, float] | None = None

    def say(self, *sentences: str) -> None:
        """Adds sentences to `words`."""
        self.words += filter(None, sentences)

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The drawing as height x width x 3 pixels."""
        canvas = Canvas(self.width, self.height, self.colour)
        for shape in self.shapes:
            shape.paint(canvas)
        return canvas.pixels

    def svg(self, label: str = "board") -> str:
        """Returns the drawing as one scalable `svg` element; `label` describes it if `words` is empty."""
        paper = element("rect", width=self.width, height=self.height, rx=8, fill=hexadecimal(self.colour))
        box = f"0 0 {self.width} {self.height}"
        head = {"class_": "board", "xmlns": "http://www.w3.org/2000/svg", "viewBox": box, "role": "img"}
        letters = {"font_family": "system-ui, sans-serif", "font_weight": "600"}
        shapes = "".join(shape.svg() for shape in self.shapes)
        return element("svg", paper + shapes, **head, aria_label=" ".join(self.words) or label, **letters)

    def arrow(self, x0: float, y0: float, x1: float, y1: float, colour: Colour) -> None:
        """Draws an arrow with a white outline, which ends shortly before (x1, y1)."""
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        before = min(16.0, length / 4)
        x1, y1 = x1 - dx * before, y1 - dy * before
        for width, size, fill in ((9.0, 22.0, WHITE), (5.0, 17.0, colour)):
            back_x, back_y = x1 - dx * size, y1 - dy * size
            self.line(x0, y0, back_x, back_y, fill, width)
            tip = (x1 + dx * width / 2, y1 + dy * width / 2)
            left = (back_x - dy * size * 0.55, back_y + dx * size * 0.55)
            right = (back_x + dy * size * 0.55, back_y - dx * size * 0.55)
            self.polygon((tip, left, right), fill)

    def rosette(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Draws a flower with eight petals."""
        for petal in range(8):
            angle = petal * math.pi / 4
            dx, dy = radius * 0.62 * math.cos(angle), radius * 0.62 * math.sin(angle)
            self.line(x + dx * 0.3, y + dy * 0.3, x + dx, y + dy, colour, radius * 0.36)
        self.disc(x, y, radius * 0.3, colour)

    def die(
        self, x: float, y: float, size: float, face: int, colour: Colour = WHITE, pips: Colour = INK
    ) -> None:
        """Draws a die with side length `size` and its upper left corner at (x, y).

        Faces above 9 are shown as numbers.
        """
        self.box(x, y, size, size, colour, size * 0.2, edge=mixed(colour, INK, 0.35))
        if face > 9:
            self.text(str(face), x + size / 2, y + size / 2, pips, max(1, round(size / 20)), centred=True)
            return
        for across, down in _PIPS[face]:
            self.disc(x + size * (0.5 + 0.26 * across), y + size * (0.5 + 0.26 * down), size * 0.09, pips)


def hexadecimal(colour: Colour) -> str:
    """Returns a colour in the notation of CSS, such as "#c64e3c"."""
    return "#" + "".join(f"{channel:02x}" for channel in colour)


def _number(value: float) -> str:
    return f"{round(value, 1):g}"


def _outline(edge: Colour | None) -> dict[str, Any]:
    return {} if edge is None else {"stroke": hexadecimal(edge), "stroke_width": 2}


_PIPS: dict[int, list[tuple[int, int]]] = {
    0: [],
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
    7: [(-1, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (1, 1)],
    8: [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)],
    9: [(i, j) for j in (-1, 0, 1) for i in (-1, 0, 1)],
}
