"""Published figures beside ours, with an interval, and a band that ours must lie in."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starspiel.agents.means import margin, mean_and_error


@dataclass(frozen=True)
class Figure:
    """One line of a paper's table.

    Attributes:
        what: what was measured.
        published: the paper's figure, in its words.
        ours, low, high: our figure and its 95 % interval, NaN if it has none.
        band: where our figure must lie, whatever its interval; (-inf, inf) if nothing is claimed.
        unit: "%" shows parts of 1 as such.
    """

    what: str
    published: str
    ours: float
    low: float
    high: float
    band: tuple[float, float]
    unit: str = "%"

    @classmethod
    def of(
        cls, what: str, published: str, samples: Sequence[float], band: tuple[float, float], unit: str = "%"
    ) -> "Figure":
        """The mean of samples with Student's interval."""
        mean, error = mean_and_error(samples)
        around = margin(error, len(samples))
        return cls(what, published, mean, mean - around, mean + around, band, unit)

    @classmethod
    def ratio(
        cls, what: str, published: str, parts: Sequence[tuple[float, float]], band: tuple[float, float]
    ) -> "Figure":
        """What (part, whole) pairs come to together: the sum of the parts by the sum of the wholes.

        The interval is Student's, of the parts' distances from their share (the ratio estimator's). It
        ends at the whole.
        """
        whole = sum(each for _, each in parts)
        share = sum(part for part, _ in parts) / whole
        _, error = mean_and_error([part - share * each for part, each in parts])
        around = margin(error * len(parts) / whole, len(parts))
        return cls(what, published, share, share - around, min(1.0, share + around), band)

    @property
    def verdict(self) -> str:
        """Whether it lies in its band: yes or missed, or open if only the interval reaches in."""
        least, most = self.band
        if math.isinf(least):
            return "–"
        if least <= self.ours <= most:
            return "yes"
        return "open" if self.low <= most and self.high >= least else "missed"

    def __str__(self) -> str:
        interval = "–" if math.isnan(self.low) else f"{self._shown(self.low)} to {self._shown(self.high)}"
        band = "none" if math.isinf(self.band[0]) else " to ".join(map(self._shown, self.band))
        ours = self._shown(self.ours)
        return f"| {self.what} | {self.published} | {ours} | {interval} | {band} | {self.verdict} |"

    def _shown(self, value: float) -> str:
        return f"{100 * value:.1f}" if self.unit == "%" else f"{value:.3g}"


def report(title: str, figures: Iterable[Figure]) -> int:
    """Prints the table, a line as soon as it is known; returns the exit code, 1 if one misses its band."""
    print(f"{title}\n")
    print("| | published | ours | 95 % interval | band | within |")
    print("|---|---:|---:|---:|---:|---|", flush=True)
    missed = 0
    for figure in figures:
        print(figure, flush=True)
        missed += figure.verdict == "missed"
    return 1 if missed else 0
