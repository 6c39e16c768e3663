"""Numbers and texts as the drawings of a tree show them."""

import math
import re

from starspiel.envs.colours import without_colours

#: What no page may hold: halves of surrogate pairs, and the two that are no characters.
_NO_CHARACTER = re.compile("[\ud800-\udfff\ufffe\uffff]")
_CONTROL = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
_CONTROL |= dict.fromkeys(range(128, 160), 0xFFFD)


def number(value: float) -> str:
    """A value with its sign, in five digits; 0 where it misses it by a rounding error."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{round(value, 9) + 0.0:+.5g}"
    return "0" if text == "+0" else text.replace("-", "−")


def interval(low: float, high: float) -> str:
    """An interval of values; round brackets at an end that is infinite."""
    return f"{'(' if math.isinf(low) else '['}{number(low)}, {number(high)}{')' if math.isinf(high) else ']'}"


def window(alpha: float, beta: float) -> str:
    """A search window, open at both ends."""
    return f"({number(alpha)}, {number(beta)})"


def plain(text: str) -> str:
    """A game's text as a page can hold it: [brackets] for colours, pictures of control characters."""
    text = without_colours(text).replace("\r\n", "\n")
    return _NO_CHARACTER.sub("\ufffd", text.translate(_CONTROL))


def shortened(text: str, length: int) -> str:
    """The text in one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
