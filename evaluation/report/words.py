"""Numbers as tables show them."""

from collections.abc import Callable, Sequence
from math import isfinite, isinf, isnan


def number(value: float) -> float | None:
    """For JSON, which has neither NaN nor infinity."""
    return float(value) if isfinite(value) else None


def points(value: float, sign: str = "") -> str:
    """A mean return; those of some games go to tens of thousands."""
    if isnan(value):
        return "–"
    value = 0.0 if abs(value) < 1e-12 else value  # what rounding leaves of a sum that is 0
    return f"{value:{sign},.0f}" if abs(value) >= 1000 else f"{value:{sign}.4g}"


def elo(value: float) -> str:
    """A rating, with its sign."""
    if isinf(value):
        return "+∞" if value > 0 else "-∞"
    return "–" if isnan(value) else f"{round(value):+d}"  # an integer has no -0


def bounds(low: float, high: float, sign: str = "", shown: Callable[[float], str] | None = None) -> str:
    """An interval of mean returns, or of what `shown` writes; a dash if there is none."""
    write = shown or (lambda value: points(value, sign))
    return "–" if isnan(low) else f"{write(low)} … {write(high)}"


def listed(histories: Sequence[Sequence[int]]) -> str:
    """Start positions: the actions of each, with a semicolon between them."""
    return "; ".join(",".join(map(str, history)) or "the beginning" for history in histories)


def dashed(value: float, form: str) -> str:
    """The value in this format; a dash for NaN."""
    return "–" if isnan(value) else format(value, form)
