"""Drawings made of simple shapes: one drawing is a picture of pixels, or an SVG for a page.

Coordinates are pixels, x to the right and y down; colours are (red, green, blue) from 0 to 255.
"""

import math
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.raster import INK, PAPER, WHITE, Canvas, Colour, mixed


@dataclass(frozen=True)
class Box:
    """A filled rectangle with rounded corners, and an outline of 2 pixels inside it where `edge` is given."""

    x: float
    y: float
    width: float
    height: float
    colour: Colour
    radius: float = 0
    edge: Colour | None = None

    def paint(self, canvas: Canvas) -> None:
        canvas.box(self.x, self.y, self.width, self.height, self.colour, self.radius, self.edge)

    def svg(self) -> str:
        inset = 0.0 if self.edge is None else 1.0
        width, height = self.width - 2 * inset, self.height - 2 * inset
        corner = f' rx="{_number(self.radius - inset)}"' if self.radius > inset else ""
        return (
            f'<rect x="{_number(self.x + inset)}" y="{_number(self.y + inset)}" width="{_number(width)}" '
            f'height="{_number(height)}"{corner} fill="{hexadecimal(self.colour)}"{_outline(self.edge)}/>'
        )


@dataclass(frozen=True)
class Disc:
    """A filled circle around (x, y), and an outline of 2 pixels inside it where `edge` is given."""

    x: float
    y: float
    radius: float
    colour: Colour
    edge: Colour | None = None

    def paint(self, canvas: Canvas) -> None:
        canvas.disc(self.x, self.y, self.radius, self.colour, self.edge)

    def svg(self) -> str:
        radius = self.radius if self.edge is None else self.radius - 1
        return (
            f'<circle cx="{_number(self.x)}" cy="{_number(self.y)}" r="{_number(radius)}" '
            f'fill="{hexadecimal(self.colour)}"{_outline(self.edge)}/>'
        )


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
        canvas.line(self.x0, self.y0, self.x1, self.y1, self.colour, self.width)

    def svg(self) -> str:
        return (
            f'<path d="M{_number(self.x0)} {_number(self.y0)}L{_number(self.x1)} {_number(self.y1)}" '
            f'stroke="{hexadecimal(self.colour)}" stroke-width="{_number(self.width)}" '
            'stroke-linecap="round"/>'
        )


@dataclass(frozen=True)
class Polygon:
    """A filled convex polygon."""

    corners: tuple[tuple[float, float], ...]
    colour: Colour

    def paint(self, canvas: Canvas) -> None:
        canvas.polygon(self.corners, self.colour)

    def svg(self) -> str:
        path = "L".join(f"{_number(x)} {_number(y)}" for x, y in self.corners)
        return f'<path d="M{path}Z" fill="{hexadecimal(self.colour)}"/>'


@dataclass(frozen=True)
class Text:
    """One line of text; (x, y) is its upper left corner, or its middle where `centred`."""

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
        size = 9.6 * self.scale
        x, y = self.x, self.y + (3.5 if self.centred else 7) * self.scale
        middle = ' text-anchor="middle"' if self.centred else ""
        return (
            f'<text x="{_number(x)}" y="{_number(y)}" font-size="{_number(size)}"{middle} '
            f'fill="{hexadecimal(self.colour)}">{escape(self.text)}</text>'
        )


Shape = Box | Disc | Line | Polygon | Text
#: A rectangle of a drawing: x, y, width, height.
Area = tuple[float, float, float, float]


class Drawing:
    """Shapes one over the other, on paper of one colour."""

    def __init__(self, width: int, height: int, colour: Colour = PAPER) -> None:
        self.width = width
        self.height = height
        self.colour = colour
        self.shapes: list[Shape] = []

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The drawing as height x width x 3 pixels."""
        canvas = Canvas(self.width, self.height, self.colour)
        for shape in self.shapes:
            shape.paint(canvas)
        return canvas.pixels

    def svg(self, label: str = "board") -> str:
        """The drawing as one `svg` element, which scales with the room it has; `label` says what it shows."""
        return (
            f'<svg class="board" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'role="img" aria-label="{escape(label)}" font-family="system-ui, sans-serif" font-weight="600">'
            f'<rect width="{self.width}" height="{self.height}" rx="8" fill="{hexadecimal(self.colour)}"/>'
            + "".join(shape.svg() for shape in self.shapes)
            + "</svg>"
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        colour: Colour,
        radius: float = 0,
        edge: Colour | None = None,
    ) -> None:
        self.shapes.append(Box(x, y, width, height, colour, radius, edge))

    def disc(self, x: float, y: float, radius: float, colour: Colour, edge: Colour | None = None) -> None:
        self.shapes.append(Disc(x, y, radius, colour, edge))

    def line(self, x0: float, y0: float, x1: float, y1: float, colour: Colour, width: float = 2) -> None:
        self.shapes.append(Line(x0, y0, x1, y1, colour, width))

    def polygon(self, corners: tuple[tuple[float, float], ...], colour: Colour) -> None:
        self.shapes.append(Polygon(corners, colour))

    def text(
        self, text: str, x: float, y: float, colour: Colour = INK, scale: int = 2, centred: bool = False
    ) -> None:
        self.shapes.append(Text(text, x, y, colour, scale, centred))

    def rosette(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """A flower of eight petals."""
        for petal in range(8):
            angle = petal * math.pi / 4
            dx, dy = radius * 0.62 * math.cos(angle), radius * 0.62 * math.sin(angle)
            self.line(x + dx * 0.3, y + dy * 0.3, x + dx, y + dy, colour, radius * 0.36)
        self.disc(x, y, radius * 0.3, colour)

    def die(
        self, x: float, y: float, size: float, face: int, colour: Colour = WHITE, pips: Colour = INK
    ) -> None:
        """A die of the given side length with its corner at (x, y); faces past 9 show their number."""
        self.box(x, y, size, size, colour, size * 0.2, edge=mixed(colour, INK, 0.35))
        if face > 9:
            self.text(str(face), x + size / 2, y + size / 2, pips, max(1, round(size / 20)), centred=True)
            return
        for across, down in _PIPS[face]:
            self.disc(x + size * (0.5 + 0.26 * across), y + size * (0.5 + 0.26 * down), size * 0.09, pips)


def hexadecimal(colour: Colour) -> str:
    """A colour as pages write it."""
    return "#" + "".join(f"{channel:02x}" for channel in colour)


def _number(value: float) -> str:
    return f"{round(value, 1):g}"


def _outline(edge: Colour | None) -> str:
    return "" if edge is None else f' stroke="{hexadecimal(edge)}" stroke-width="2"'


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
