"""Draws the figures of the page from a TournamentResult; a figure is "" if there is nothing to draw."""

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any, NamedTuple

from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.plot import BOTTOM, LEFT, RIGHT, TOP, Plot
from starspiel.envs.chart.rows import interval_plot
from starspiel.evaluation.report.points import paid
from starspiel.evaluation.result import TournamentResult


def ratings_plot(result: TournamentResult) -> str:
    if result.two_player:
        return interval_plot([(s.agent, s.elo, s.low, s.high) for s in result.standings], "Elo")
    return interval_plot(
        [(s.agent, s.mean, s.mean_low, s.mean_high) for s in result.standings], f"mean {paid(result)}"
    )


def lengths_plot(result: TournamentResult) -> str:
    lengths = result.tally.lengths
    if not lengths:
        return ""
    low, high = min(lengths), max(lengths)
    width = max(1, -(-(high - low + 1) // 30))
    bins = [0] * (-(-(high - low + 1) // width))
    for length, count in lengths.items():
        bins[(length - low) // width] += count
    title = "length of a game, events" if width == 1 else f"length of a game, events, {width} to a bar"
    x = Axis(title, low - width / 2, low + width * (len(bins) - 0.5), LEFT, RIGHT)
    plot = Plot(x, Axis("games", 0.0, max(bins), 160.0, TOP))
    for number, count in enumerate(bins):
        start = low + width * number
        plot.bar(start - width / 2, start + width / 2, count, f"{start}: {count:g}")
    return plot.inline(f"games by {title}")


def length_in_words(result: TournamentResult) -> str:
    lengths = sorted(result.tally.lengths.elements())
    if not lengths:
        return "none"
    return f"{lengths[0]} to {lengths[-1]} events, median {lengths[len(lengths) // 2]}"


def luck_plot(result: TournamentResult) -> str:
    """Returns a plot of each agent's luck per game."""
    rows = [
        (result.agents[each.agent], each.mean, each.mean - each.margin, each.mean + each.margin)
        for each in result.lucks
    ]
    return interval_plot(rows, f"luck in the {paid(result)} of a game")


class _Strength(NamedTuple):
    """An agent's CPU time per move, and its rating."""

    agent: str
    ms: float
    elo: float
    low: float
    high: float

    def is_beaten_by(self, other: "_Strength") -> bool:
        """Returns whether the other is rated as high in less time, or higher in at most the same time."""
        better = other.ms <= self.ms and other.elo >= self.elo
        return better and (other.ms, other.elo) != (self.ms, self.elo)


def efficiency(result: TournamentResult) -> dict[str, Any] | None:
    """Returns a plot of Elo against CPU time per move, and which agents are best for their time.

    None unless both are known for at least two agents.
    """
    points = [
        _Strength(line.agent, 1000.0 * line.totals.cost.seconds_per_move, line.elo, line.low, line.high)
        for line in result.standings
        if line.totals.cost.seconds > 0.0 and not isnan(line.elo)
    ]
    if not result.two_player or len(points) < 2:
        return None
    frontier = [one for one in points if not any(one.is_beaten_by(other) for other in points)]
    ends = [end for point in points for end in point[2:] if isfinite(end)]
    corners = [(point.ms, end) for point in points for end in (min(ends), max(ends))]
    x, y = _axes("CPU time a move, ms", "Elo", corners, is_log=True)
    plot = Plot(x, y)
    plot.line([(p.ms, p.elo) for p in sorted(frontier, key=lambda point: point.ms)], "c2")
    for number, (name, ms, value, low, high) in enumerate(points, start=1):
        plot.interval(ms, low, high, "c0")
        plot.dot(ms, value, "c1", f"{number} {name}: {value:.4g} Elo, {ms:.3g} ms", 5)
    plot.numbers([(point.ms, point.elo) for point in points])
    return {
        "plot": plot.inline("Elo against CPU time a move"),
        "agents": [{"name": point.agent, "best": point in frontier} for point in points],
    }


def _axes(
    title_x: str, title_y: str, points: Sequence[tuple[float, float]], *, is_log: bool = False
) -> tuple[Axis, Axis]:
    """Returns the axes of a plot that contains these points."""
    x = Axis.around(title_x, [x for x, _ in points], LEFT, RIGHT, is_log=is_log)
    return x, Axis.around(title_y, [y for _, y in points], BOTTOM, TOP)
