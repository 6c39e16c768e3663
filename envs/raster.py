"""Draws simple pictures with NumPy only: filled shapes with smooth edges, and text in a 5 x 7 pixel font.

Coordinates are pixels, x to the right and y down; colours are (red, green, blue) from 0 to 255.
"""

import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]
Bounds = tuple[float, float, float, float]
Distance = Callable[[NDArray[np.float32], NDArray[np.float32]], NDArray[Any]]

#: One palette for all boards, so that players 0 and 1 look the same in every game.
PAPER: Colour = (247, 243, 233)
INK: Colour = (52, 48, 44)
FAINT: Colour = (214, 205, 186)
WOOD: Colour = (233, 221, 194)
GOLD: Colour = (226, 178, 76)
WHITE: Colour = (255, 255, 255)
PLAYERS: tuple[Colour, ...] = (
    *((198, 78, 60), (46, 100, 158), (47, 125, 79)),
    *((143, 98, 16), (116, 72, 157), (43, 118, 128)),
)


def mixed(colour: Colour, other: Colour, share: float) -> Colour:
    """Returns `colour` mixed with `other`; `share` is the share of `other`, from 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """Returns the contrast ratio of two colours, 1 to 21, by the Web Content Accessibility Guidelines 2.2."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    shares = [level / 255 for level in colour]
    red, green, blue = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink_on(paper: Colour) -> Colour:
    """Returns the text colour with the higher contrast on this colour: INK or WHITE."""
    return max((INK, WHITE), key=lambda ink: contrast(ink, paper))


class Canvas:
    """An image to draw on; `pixels` is height x width x 3 of uint8."""

    def __init__(self, width: int, height: int, colour: Colour = PAPER) -> None:
        self._image = np.empty((height, width, 3), np.float32)
        self._image[:] = colour

    @property
    def pixels(self) -> NDArray[np.uint8]:
        return self._image.round().astype(np.uint8)

    def fill(self, bounds: Bounds, colour: Colour, distance: Distance) -> None:
        """Colours a shape within (left, top, right, bottom), with smooth edges.

        `distance(columns, rows)` is the distance of pixels from its edge, negative inside.
        """
        height, width, _ = self._image.shape
        left, right = max(0, int(bounds[0] - 1)), min(width, int(np.ceil(bounds[2] + 1)) + 1)
        top, bottom = max(0, int(bounds[1] - 1)), min(height, int(np.ceil(bounds[3] + 1)) + 1)
        if left >= right or top >= bottom:
            return
        columns = np.arange(left, right, dtype=np.float32)[None, :]
        rows = np.arange(top, bottom, dtype=np.float32)[:, None]
        cover = np.clip(0.5 - distance(columns, rows), 0, 1)[..., None]
        area = self._image[top:bottom, left:right]
        area += cover * (np.asarray(colour, np.float32) - area)

    def text(
        self, text: str, x: float, y: float, colour: Colour = INK, scale: int = 2, centred: bool = False
    ) -> None:
        """Draws one line of text; (x, y) is its upper left corner, or its middle if `centred`."""
        if centred:
            x, y = x - (len(text) * 6 - 1) * scale / 2, y - 7 * scale / 2
        left, top = round(x), round(y)
        for character in text:
            glyph = np.kron(_glyph(character), np.ones((scale, scale), bool))
            rows = slice(max(top, 0), max(top + glyph.shape[0], 0))
            columns = slice(max(left, 0), max(left + glyph.shape[1], 0))
            patch = self._image[rows, columns]
            patch[glyph[max(-top, 0) :, max(-left, 0) :][: patch.shape[0], : patch.shape[1]]] = colour
            left += 6 * scale


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Returns an image as the content of a PNG file."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)  # 0: rows are not filtered
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, red green blue
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    framed = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


def text_picture(text: str, columns: int, rows: int, scale: int = 2) -> NDArray[np.uint8]:
    """Returns an image of `text`, `columns` x `rows` characters large; what does not fit is cut off."""
    margin = 10
    canvas = Canvas(columns * 6 * scale + 2 * margin, rows * 10 * scale + 2 * margin)
    for row, line in enumerate(text.splitlines()[:rows]):
        canvas.text(line[:columns], margin, margin + row * 10 * scale, INK, scale)
    return canvas.pixels


# The characters from " " to "~": five columns each, one byte per column with the top pixel in its lowest bit.
_FONT = bytes.fromhex(
    "0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649552250 0005030000"
    "001c224100 0041221c00 14083e0814 08083e0808 0050300000 0808080808 0060600000 2010080402"
    "3e5149453e 00427f4000 4261514946 2141454b31 1814127f10 2745454539 3c4a494930 0171090503"
    "3649494936 064949291e 0036360000 0056360000 0814224100 1414141414 0041221408 0201510906"
    "324979413e 7e1111117e 7f49494936 3e41414122 7f4141221c 7f49494941 7f09090901 3e4149497a"
    "7f0808087f 00417f4100 2040413f01 7f08142241 7f40404040 7f020c027f 7f0408107f 3e4141413e"
    "7f09090906 3e4151215e 7f09192946 4649494931 01017f0101 3f4040403f 1f2040201f 3f4038403f"
    "6314081463 0708700807 6151494543 007f414100 0204081020 0041417f00 0402010204 4040404040"
    "0001020400 2054545478 7f48444438 3844444420 384444487f 3854545418 087e090102 0c5252523e"
    "7f08040478 00447d4000 2040443d00 7f10284400 00417f4000 7c04180478 7c08040478 3844444438"
    "7c14141408 081414187c 7c08040408 4854545420 043f444020 3c4040207c 1c2040201c 3c4030403c"
    "4428102844 0c5050503c 4464544c44 0008364100 00007f0000 0041360800 1008081008"
)


def _glyph(character: str) -> NDArray[np.bool_]:
    code = ord(character) - 32
    if not 0 <= code < len(_FONT) // 5:
        code = ord("?") - 32
    columns = np.frombuffer(_FONT, np.uint8)[code * 5 : code * 5 + 5]
    lit: NDArray[np.bool_] = (columns[None, :] >> np.arange(7)[:, None]) & 1 == 1
    return lit
