"""Formats numbers and texts for the drawings of a tree."""

import math


def number(value: float) -> str:
    """Returns a value with its sign, in five digits; 0 for one that misses 0 by a rounding error."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{round(value, 9) + 0.0:+.5g}"
    return "0" if text == "+0" else text.replace("-", "−")


def interval(low: float, high: float) -> str:
    """Returns an interval of values, with round brackets at infinite ends."""
    return f"{'(' if math.isinf(low) else '['}{number(low)}, {number(high)}{')' if math.isinf(high) else ']'}"


def window(alpha: float, beta: float) -> str:
    """Returns a search window, which is open at both ends."""
    return f"({number(alpha)}, {number(beta)})"


def shortened(text: str, length: int) -> str:
    """Returns the text in one line of at most `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
