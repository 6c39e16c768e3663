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
    return f"{value:{sign},.0f}" if abs(value) >= 1000 else f"{value:{sign}.4g}"


def elo(value: float) -> str:
    """A rating, with its sign."""
    if isinf(value):
        return "+∞" if value > 0 else "-∞"
    return "–" if isnan(value) else f"{round(value):+d}"  # an integer has no -0


def bounds(low: float, high: float, sign: str = "", shown: Callable[[float], str] | None = None) -> str:
    """An interval of mean returns, or of what `shown` writes, or a dash where there is none."""
    write = shown or (lambda value: points(value, sign))
    return "–" if isnan(low) else f"{write(low)} … {write(high)}"


def listed(histories: Sequence[Sequence[int]]) -> str:
    """Start positions: the actions of each, and a semicolon between them."""
    return "; ".join(",".join(map(str, history)) or "the beginning" for history in histories)


def count(value: float) -> str:
    """A mean count."""
    return "–" if isnan(value) else f"{value:,.0f}"


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds."""
    return "–" if isnan(seconds) else f"{1000 * seconds:,.3g}"
