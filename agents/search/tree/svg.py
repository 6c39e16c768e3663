"""Draws a searched tree as an SVG picture, from left to right, in the shapes usual in the field."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from starspiel.agents.search.tree import labels
from starspiel.agents.search.tree.part import Drawn
from starspiel.envs.chart.svg import element, picture, text, titled
from starspiel.envs.text import plain

#: Pixels: height of a row, radius of a node's shape, gap between columns, width of a character, outer margin.
_ROW, _SHAPE, _GAP, _LETTER, _EDGE = 36, 8, 40, 6.7, 14
#: The most characters of a name, and the most rows that a node is drawn below its first successor.
_LONGEST, _LOWEST = 34, 4

#: The outline of each kind of node around (0, 0).
OUTLINES = {
    "max": "M0 -8 8.5 7 -8.5 7Z",
    "min": "M0 8 8.5 -7 -8.5 -7Z",
    "chance": "M-8 0A8 8 0 1 1 8 0A8 8 0 1 1 -8 0Z",
    "end": "M-6.5 -6.5H6.5V6.5H-6.5Z",
}


@dataclass(eq=False)
class _Place:
    """The place of a drawn node, and the two lines of text beside it."""

    drawn: Drawn
    x: float
    y: float
    texts: tuple[str, str]
    children: list["_Place"]


def svg(top: Drawn, title: str, notes: tuple[str, ...]) -> str:
    """Returns the picture of a tree with its title and notes above it."""
    widths: dict[int, float] = {}
    _measure(top, widths)
    columns, x = {}, float(_EDGE + _SHAPE)
    for level in sorted(widths):
        columns[level] = x
        x += widths[level] + _GAP
    heads = [title, *notes]
    head = 20 * len(heads) + 34
    root, rows = _placed(top, columns, head, 0)
    legend = "   ".join(f"{kind}: {words}" for kind, words in labels.LEGEND)
    width = max(x, _EDGE * 2 + _LETTER * max(map(_length, [*heads, legend])) + 80)
    height = head + rows * _ROW + _EDGE
    body = "".join([*_heading(heads), *_legend(20 * len(heads) + 12), *_edges(root), *_nodes(root)])
    return picture(width, height, title, body)


def _texts(drawn: Drawn) -> tuple[str, str]:
    node = drawn.node
    marks = ", ".join(labels.marks(node))
    second = labels.value(node) + (f"  {marks}" if marks else "")
    if drawn.hidden:
        second += f"  (+{drawn.hidden} not drawn)"
    if node.greyed:
        second += f": {node.greyed.partition(':')[0]}"
    return labels.move(node, _LONGEST), second


def _length(text: str) -> int:
    """Returns the number of columns of a text; wide characters count as two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _measure(drawn: Drawn, widths: dict[int, float]) -> None:
    level = drawn.node.level
    needed = 2 * _SHAPE + 12 + _LETTER * max(map(_length, _texts(drawn)))
    widths[level] = max(widths.get(level, 0.0), needed)
    for child in drawn.children:
        _measure(child, widths)


def _placed(drawn: Drawn, columns: dict[int, float], top: float, row: int) -> tuple[_Place, int]:
    """Returns the place of a subtree whose first leaf is in `row`, and the first row after it."""
    children = []
    for child in drawn.children:
        place, row = _placed(child, columns, top, row)
        children.append(place)
    if children:
        # In the middle of its successors, but near the top of a tall tree, where a reader begins.
        y = min((children[0].y + children[-1].y) / 2, children[0].y + _LOWEST * _ROW)
    else:
        y, row = top + row * _ROW + _ROW / 2, row + 1
    return _Place(drawn, columns[drawn.node.level], y, _texts(drawn), children), row


def _heading(lines: list[str]) -> Iterator[str]:
    for i, line in enumerate(lines):
        yield text(_EDGE, 20 * i + 22, plain(line), class_="quiet" if i else "say")


def _legend(y: float) -> Iterator[str]:
    x = float(_EDGE + _SHAPE)
    for kind, words in labels.LEGEND:
        yield element("g", _outline(kind), transform=f"translate({x:.1f} {y + 6:.1f})")
        yield text(x + 14, y + 10, words, class_="quiet")
        x += 34 + _LETTER * len(words)


def _outline(kind: str) -> str:
    """Returns the SVG shape of a kind of node, around (0, 0)."""
    return element("path", class_=f"path {kind}", d=OUTLINES[kind])


def _edges(place: _Place) -> Iterator[str]:
    start = place.x + 2 * _SHAPE + 6 + _LETTER * max(map(_length, place.texts))
    for child in place.children:
        middle = child.x - _SHAPE - _GAP / 2
        start = min(start, middle)
        line = " line" if child.drawn.on_line else ""
        off = "" if child.drawn.node.searched else " off"
        end = child.x - _SHAPE - 2
        way = (
            f"M{start:.1f} {place.y:.1f}H{middle:.1f}"
            f"C{end:.1f} {place.y:.1f} {middle:.1f} {child.y:.1f} {end:.1f} {child.y:.1f}"
        )
        yield element("path", class_=f"edge{line}{off}", d=way)
        yield from _edges(child)


def _nodes(place: _Place) -> Iterator[str]:
    node = place.drawn.node
    told = "\n".join([labels.move(node), *labels.facts(node), plain(node.position)])
    first, second = place.texts
    yield element(
        "g",
        titled(told) + _outline(node.kind) + text(14, -2, first, class_="quiet") + text(14, 12, second),
        transform=f"translate({place.x:.1f} {place.y:.1f})",
        class_=None if node.searched else "off",
    )
    for child in place.children:
        yield from _nodes(child)
