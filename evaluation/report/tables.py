"""Makes the rows, as text, of tables that the terminal and the page show."""

from math import isnan

from starspiel.evaluation.report.words import bounds, dashed, points
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.adjusted import Adjusted
from starspiel.evaluation.statistics.means import with_margin

#: The headings of `difference_rows` and `luck_rows`, after the agents.
DIFFERENCES = ("pairs", "difference", "95 %", "p (Holm)")
LUCK = ("pairs", "left out", "raw ± 95 %", "adjusted ± 95 %", "variance factor")

Rows = list[tuple[str, ...]]


def difference_rows(result: TournamentResult) -> Rows:
    """Returns rows of differences: agent, the one it is compared with, and the cells of `DIFFERENCES`."""
    return [
        (
            *(result.agents[agent] for agent in each.agents),
            f"{each.pairs:,}",
            points(each.mean, "+"),
            bounds(each.low, each.high, "+"),
            dashed(each.p_holm, ".3g"),
        )
        for each in result.differences
    ]


def luck_rows(result: TournamentResult) -> Rows:
    """Returns rows of luck-adjusted means: agent, opponent ("" without one), and the cells of `LUCK`."""
    others = "" if result.blocks is None else "the field"
    return [
        (
            *(*(result.agents[agent] for agent in line.agents), others)[:2],
            f"{line.pairs:,}",
            f"{line.left_out:,}",
            with_margin(line.raw, line.raw_margin),
            with_margin(line.adjusted, line.adjusted_margin),
            factor_in_words(line),
        )
        for line in result.adjusted
    ]


def factor_in_words(line: Adjusted) -> str:
    """Returns the variance factor with its 95 % interval; a dash if it is unknown."""
    low, high = line.variance_factor_interval
    interval = "" if isnan(low) else f" ({low:.2f} … {high:.2f})"
    return "–" if isnan(line.variance_factor) else f"{line.variance_factor:.2f}{interval}"


def lucks_rows(result: TournamentResult) -> Rows:
    """Returns rows of luck: agent, pairs, luck per game with margin, and z, marked if it exceeds chance."""
    return [
        (
            result.agents[line.agent],
            f"{line.pairs:,}",
            with_margin(line.mean, line.margin),
            dashed(line.z, "+.1f") + " !" * line.exceeds_chance,
        )
        for line in result.lucks
    ]
