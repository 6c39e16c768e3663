"""`Axis`: maps values to pixels, chooses round ticks, and draws the axis with its title."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

from starspiel.envs.chart.svg import SIZE, line, text


def plain_number(value: float) -> str:
    """Returns a tick's number as text, with a typographic minus sign."""
    return (f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}").replace("-", "−")


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high` in values, and from `start` to `end` in pixels.

    Attributes:
        title: what the values are, with their unit.
        is_log: whether the axis is logarithmic.
        told: a function that returns the text of a tick.
        places: the ticks; round values if None.
    """

    title: str
    low: float
    high: float
    start: float
    end: float
    is_log: bool = False
    told: Callable[[float], str] = plain_number
    places: tuple[float, ...] | None = None

    @classmethod
    def around(
        cls, title: str, values: Iterable[float], start: float, end: float, *, is_log: bool = False
    ) -> "Axis":
        """Returns an axis that covers these values with margins.

        A logarithmic axis spans at least a ratio of two.
        """
        values = list(values)
        low, high = min(values), max(values)
        if is_log:
            room = max((high / low) ** 0.05, (2.0 * low / high) ** 0.5)
            return cls(title, low / room, high * room, start, end, is_log=True)
        room = 0.05 * (high - low) or 0.5
        whole = high - low <= 20 and all(value == int(value) for value in values)
        places = tuple(float(n) for n in range(int(low), int(high) + 1)) if whole else None
        return cls(title, low - room, high + room, start, end, places=places)

    def at(self, value: float) -> float:
        """Returns the pixel at which a value is drawn."""
        if self.is_log:
            share = log10(value / self.low) / (log10(self.high / self.low) or 1.0)
        else:
            share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.start + (self.end - self.start) * share

    def inside(self, value: float) -> float:
        """Returns the pixel at which a value is drawn, clamped to the ends of the axis."""
        return self.at(min(self.high, max(self.low, value)))

    @property
    def ticks(self) -> list[float]:
        """About five round values; on a logarithmic axis, powers of ten and, if these are few, multiples."""
        if self.places is not None:
            return list(self.places)
        if not self.is_log:
            values = round_numbers(self.low, self.high, most=7)
            return [value for value in values if self.low <= value <= self.high]
        decades = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        steps = (1.0,) if len(decades) > 4 else (1.0, 2.0, 5.0) if len(decades) < 4 else (1.0, 3.0)
        values = [step * 10.0**power for power in decades for step in steps]
        return [value for value in values if self.low * 0.999 <= value <= self.high * 1.001]

    def across(self, bottom: float, top: float) -> str:
        """Returns the SVG of a horizontal axis at `bottom`, with grid lines up to `top`, thicker at zero."""
        words = [self.told(tick) for tick in self.ticks]
        room = 0.7 * SIZE * (max(map(len, words), default=0) + 1)
        every = ceil(room * len(words) / abs(self.end - self.start)) or 1  # keeps labels from overlapping
        parts = ""
        for tick, word in list(zip(self.ticks, words, strict=True))[::every]:
            x = self.at(tick)
            parts += line((x, top), (x, bottom), self._kind(tick), stroke=None)
            parts += text(x, bottom, word, dy="1.4em", text_anchor="middle")
        middle = (self.start + self.end) / 2
        return parts + text(middle, bottom, self.title, dy="2.9em", text_anchor="middle", class_="title")

    def up(self, left: float, right: float) -> str:
        """Returns the SVG of a vertical axis at `left`, with grid lines up to `right`, thicker at zero.

        Its title is above it.
        """
        parts = text(14, self.end, self.title, dy="-0.9em", class_="title")
        for tick in self.ticks:
            y = self.at(tick)
            parts += line((left, y), (right, y), self._kind(tick), stroke=None)
            parts += text(left - 6, y, self.told(tick), dy="0.35em", text_anchor="end")
        return parts

    def _kind(self, tick: float) -> str:
        return "grid" if tick or self.is_log else "zero"


def round_numbers(low: float, high: float, most: int = 6) -> list[float]:
    """Returns round numbers from one at or below `low` to one at or above `high`, in about `most` steps or
    fewer."""
    span = high - low or abs(high) or 1.0
    step = 10.0 ** floor(log10(span / 5))
    step *= next(factor for factor in (1, 2, 2.5, 5, 10) if span / (step * factor) <= most)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(step * number, 12) for number in range(first, last + 1)]
