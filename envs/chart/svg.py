"""Writes elements of SVGs. Points are pixels, x to the right and y down; colours are CSS classes."""

from collections.abc import Sequence
from html import escape

from starspiel.envs.stylesheet import drawing_style

#: An upper bound on the mean width of letters, as a share of their size; bold letters reach it.
_LETTER = 0.6
#: The font size, and the step from one line of text to the next, in pixels.
SIZE, STEP = 12.0, 17.0

Attribute = float | str | None
Points = Sequence[tuple[float, float]]


def element(name: str, inside: str = "", /, **attributes: Attribute) -> str:
    """Returns an element around other SVG.

    `_` in an attribute's name stands for a hyphen. Attributes that are None are left out.
    """
    told = ""
    for key, value in attributes.items():
        if value is not None:
            said = escape(value) if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
            told += f' {key.rstrip("_").replace("_", "-")}="{said}"'
    return f"<{name}{told}>{inside}</{name}>" if inside else f"<{name}{told}/>"


def text(x: float, y: float, words: str, /, **attributes: Attribute) -> str:
    """Returns text that starts at a point, or ends there if `text_anchor` is "end"."""
    return element("text", escape(words), x=x, y=y, **attributes)


def wrapped(words: str, width: float, size: float = SIZE) -> list[str]:
    """Returns the words in lines of at most `width` pixels, with letters of the given size."""
    lines, letters = [""], int(width / (_LETTER * size))
    for word in words.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > letters:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".lstrip()
        while len(lines[-1]) > letters:
            lines[-1:] = [lines[-1][:letters], lines[-1][letters:]]
    return lines


def line(start: tuple[float, float], end: tuple[float, float], kind: str, /, **attributes: Attribute) -> str:
    """Returns a straight line between two points, in the colour of a CSS class."""
    (x1, y1), (x2, y2) = start, end
    return element(
        "line", x1=x1, x2=x2, y1=y1, y2=y2, class_=kind, **{"stroke": "currentColor", **attributes}
    )


def dot(x: float, y: float, radius: float, kind: str, title: str = "", /, **attributes: Attribute) -> str:
    """Returns a point with a tooltip."""
    return element(
        "circle", titled(title), cx=x, cy=y, r=radius, class_=kind, fill="currentColor", **attributes
    )


def bar(x: float, y: float, width: float, height: float, kind: str, title: str = "") -> str:
    """Returns a filled rectangle with its upper left corner at (x, y), and a tooltip."""
    return element(
        "rect", titled(title), x=x, y=y, width=width, height=height, class_=kind, fill="currentColor"
    )


def titled(title: str) -> str:
    """Returns the tooltip of an element; "" for an empty title."""
    return title and element("title", escape(title))


def inline(width: float, height: float, label: str, body: str, /, **attributes: Attribute) -> str:
    """Returns a chart for a page that has the stylesheet; `label` describes it to screen readers."""
    head: dict[str, Attribute] = {"viewBox": f"0 0 {width:g} {height:g}", "role": "img", "aria_label": label}
    return element("svg", body, **{"class_": "chart", **head, **attributes})


def picture(width: float, height: float, title: str, body: str) -> str:
    """Returns a chart as a self-contained file with a background, light or dark like the screen."""
    head: dict[str, Attribute] = {
        "xmlns": "http://www.w3.org/2000/svg",
        **{"width": round(width), "height": round(height), "font_family": "system-ui, sans-serif"},
        "font_size": SIZE,
    }
    ground = element("rect", width="100%", height="100%", class_="ground")
    inside = titled(title) + element("style", drawing_style()) + ground + body
    return inline(round(width), round(height), title, inside, **head) + "\n"
