"""Formats numbers for tables and JSON."""

from collections.abc import Callable, Sequence
from math import isfinite, isinf, isnan


def number(value: float) -> float | None:
    """Returns a number for JSON: None for NaN and infinity, which JSON does not have."""
    return float(value) if isfinite(value) else None


def points(value: float, sign: str = "") -> str:
    """Formats a mean return, which may reach tens of thousands in some games; a dash for NaN."""
    if isnan(value):
        return "–"
    value = 0.0 if abs(value) < 1e-12 else value  # a rounding error of a sum that is 0
    return f"{value:{sign},.0f}" if abs(value) >= 1000 else f"{value:{sign}.4g}"


def elo(value: float) -> str:
    """Formats a rating with its sign; a dash for NaN."""
    if isinf(value):
        return "+∞" if value > 0 else "-∞"
    return "–" if isnan(value) else f"{round(value):+d}"  # an integer has no -0


def bounds(low: float, high: float, sign: str = "", shown: Callable[[float], str] | None = None) -> str:
    """Formats an interval of mean returns, or of values formatted by `shown`; a dash for NaN."""
    write = shown or (lambda value: points(value, sign))
    return "–" if isnan(low) else f"{write(low)} … {write(high)}"


def listed(histories: Sequence[Sequence[int]]) -> str:
    """Formats start positions as their actions, separated by semicolons."""
    return "; ".join(",".join(map(str, history)) or "the beginning" for history in histories)


def dashed(value: float, form: str) -> str:
    """Formats a value by the format specification `form`; a dash for NaN."""
    return "–" if isnan(value) else format(value, form)
