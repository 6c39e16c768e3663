"""Numbers and texts as the drawings of a tree show them."""

import math


def number(value: float) -> str:
    """A value with its sign, in five digits; 0 if it misses it by a rounding error."""
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


def shortened(text: str, length: int) -> str:
    """The text in one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
