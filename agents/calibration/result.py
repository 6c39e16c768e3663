"""Defines `Calibration`: the result of a calibration as text, numbers and a picture."""

from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING

from starspiel.agents.calibration.fit import Estimate, Fit
from starspiel.agents.rollouts.result import as_text, shown_margin
from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.plot import LEFT, RIGHT, TOP, Plot
from starspiel.envs.text import ShownInNotebooks

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

#: The possible values of `Calibration.verdict`, and their meanings.
VERDICTS = {
    "linear": "a positive linear function of the expected return, within the tolerance",
    "bent": "not a linear function of the expected return: chance nodes average its values wrongly",
    "undecided": "these positions do not decide it: more positions or games would",
    "inverted": "it falls while the expected return rises",
    "unrelated": "it hardly depends on the expected return",
    "constant": "it gives every position the same value",
}


@dataclass(frozen=True, slots=True)
class Calibration(ShownInNotebooks):
    """The relation of an evaluator's values to player 0's expected return.

    Attributes:
        evaluator, game: their names.
        truth, agent: descriptions of how the true values were found, and of who played.
        positions: the number of positions, each from another game.
        games: the number of games played on from each position; 0 if the truth is exact.
        verdict: one of `VERDICTS`, depending on the slope's interval, and on the bend's relative to the
            tolerance.
        tolerance: the greatest bend of a linear evaluator, as a share of the line's spread.
        mean: the mean of the truth over the positions.
        fit: the line, and deviations from it; None if the evaluator says the same of all positions.
        values, truths: the evaluator's value of each position, and the true one (or the mean of its games).
        seconds: the wall-clock time that it took.
        notes: what a reader must know; one sentence each.
    """

    evaluator: str
    game: str
    truth: str
    agent: str
    positions: int
    games: int
    verdict: str
    tolerance: float
    mean: float
    fit: Fit | None
    values: tuple[float, ...] = field(repr=False)
    truths: tuple[float, ...] = field(repr=False)
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def linear(self) -> bool:
        """Whether the verdict is "linear"."""
        return self.verdict == "linear"

    def picture(self) -> str:
        """Returns the reliability diagram as SVG: bins of values against the truth, around the line."""
        fit, values, truths = self.fit, self.values, self.truths
        bins = [] if fit is None else [(b, *_ends(b.truth, b.margin)) for b in fit.bins]
        x = Axis.around("what the evaluator says, in return", values, LEFT, RIGHT)
        ends = [end for _, *both in bins for end in both]
        y = Axis.around(f"what a position is worth, by {self.truth}", [*truths, *ends], TOP + 404, TOP)
        plot = Plot(x, y)
        for value, true in zip(values, truths, strict=True):
            plot.dot(value, true, "c5 point", radius=2)
        low, high = max(x.low, y.low), min(x.high, y.high)
        if low < high:
            plot.line([(low, low), (high, high)], "c6", "the value itself", "4 4")
        if fit is not None:
            fitted = [(end, fit.offset.value + fit.slope.value * end) for end in (min(values), max(values))]
            plot.line(fitted, "c1", "least squares")
        for each, low, high in bins:
            told = f"says {each.value:+.4f}, is worth {each.truth:+.4f} ({each.positions} positions)"
            plot.interval(each.value, low, high, "c0")
            plot.dot(each.value, each.truth, "c0 bin", told)
        return plot.file(f"{self.evaluator} in {self.game}", "dots: bins of positions, with 95 % intervals")

    def __str__(self) -> str:
        return as_text(self, 120)

    def __rich__(self) -> "RenderableType":
        from rich.console import Group  # slow to load
        from rich.text import Text

        head = Text(f"{self.evaluator} in {self.game}: {self.verdict}", style="bold")
        parts: list[RenderableType] = [head, Text(VERDICTS[self.verdict])]
        if self.fit is not None:
            parts += [_numbers(self.fit, self.tolerance), _bins(self.fit)]
        worth = f"{self.positions:,} positions, worth {self.mean:+.4f} on average, by {self.truth}"
        parts.append(Text(f"{worth}; {self.seconds:.1f} s"))
        parts += [Text(f"note: {note}", style="yellow") for note in self.notes]
        return Group(*parts)


def _numbers(fit: Fit, tolerance: float) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for column in ("", "95 % from", "to", "of the spread"):
        table.add_column(column, justify="right")
    rows: tuple[tuple[str, Estimate, bool], ...] = (
        ("slope", fit.slope, False),
        ("offset", fit.offset, False),
        ("bend: the curve off the line", fit.bend, True),
        ("scatter: positions off the line", fit.scatter, True),
        ("error: truth off the value", fit.error, True),
    )
    for name, number, relative in rows:
        share = f"{100 * number.value / fit.spread:.1f} %" if relative and fit.spread else ""
        if name.startswith("bend") and share:
            share += f" (tolerance {100 * tolerance:g} %)"
        ends = (f"{end:+.4f}" if not relative else f"{end:.4f}" for end in (number.low, number.high))
        table.add_row(name, f"{number.value:+.4f}" if not relative else f"{number.value:.4f}", *ends, share)
    return table


def _bins(fit: Fit) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("it says", "on average", "is worth", "± 95 %", "the line", "positions"):
        table.add_column(column, justify="right")
    for each in fit.bins:
        line = fit.offset.value + fit.slope.value * each.value
        table.add_row(
            f"{each.low:+.3f} to {each.high:+.3f}",
            f"{each.value:+.4f}",
            f"{each.truth:+.4f}",
            shown_margin(each.margin),
            f"{line:+.4f}",
            str(each.positions),
        )
    return table


def _ends(middle: float, margin: float) -> tuple[float, float]:
    return (middle, middle) if isnan(margin) else (middle - margin, middle + margin)
