"""Writes the learning curve of a training as JSON and as a picture."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from starspiel.agents.learning.result import Moment, NTupleMoment
from starspiel.agents.learning.score import BEST
from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.plot import BOTTOM, LEFT, RIGHT, TOP, Plot, colour
from starspiel.envs.files import written_whole

_MANY = 10_000  # The number of games from which on axis labels count thousands.


def write_curve(path: Path, game: str, curve: Sequence[Any], draw: Callable[[str, Any], str]) -> None:
    """Writes the moments of all matches as JSON, and as SVG beside it; each file is written atomically."""
    told = json.dumps({"game": game, "curve": [asdict(moment) for moment in curve]})
    for target, content in ((path, told), (path.with_suffix(".svg"), draw(game, curve))):
        with written_whole(target, "w", encoding="utf-8") as file:
            file.write(content)


def drawn_curve(game: str, curve: Sequence[Moment]) -> str:
    """Returns an SVG of points per game against each reference by games played, with 95 % intervals."""
    last = max((moment.games for moment in curve), default=0) or 1
    rivals = sorted(
        {(s.depth, s.label) for moment in curve for s in moment.scores or () if s.opponent != BEST}
    )

    def along(games: float) -> str:
        return f"{games / 1000:,.4g} k" if last >= _MANY and games else f"{games:,.0f}"

    y_title = "points a game, with 95 % intervals"
    plot = Plot(
        Axis("games played", 0.0, last, LEFT, RIGHT, told=along),
        Axis(y_title, 0.0, 1.0, BOTTOM, TOP, told=lambda share: f"{100 * share:.0f} %"),
    )
    for number, (depth, label) in enumerate(rivals):
        found = [
            (moment.games, score.share, score.error)
            for moment in curve
            for score in moment.scores or ()
            if (score.depth, score.label) == (depth, label)
        ]
        dashes = None if depth == 1 else "5 3"
        _draw(plot, found, colour(number), f"against {label}, depth {depth}", dashes)
    return plot.file(game)


def drawn_points(game: str, curve: Sequence[NTupleMoment]) -> str:
    """Returns an SVG of points per game at one ply by moves played, with 95 % intervals."""
    last = max((moment.moves for moment in curve), default=0) or 1
    most = max((moment.points.mean + 1.96 * moment.points.error for moment in curve), default=0.0) or 1.0
    plot = Plot(
        Axis(
            "moves played",
            0.0,
            last,
            LEFT,
            RIGHT,
            told=lambda moves: f"{moves / 1e6:,.4g} M" if moves else "0",
        ),
        Axis("points a game at one ply, with 95 % intervals", 0.0, most, BOTTOM, TOP),
    )
    _draw(plot, [(moment.moves, moment.points.mean, moment.points.error) for moment in curve], colour(0))
    return plot.file(game)


def _draw(
    plot: Plot,
    found: Iterable[tuple[float, float, float]],
    kind: str,
    name: str = "",
    dashes: str | None = None,
) -> None:
    """Draws a line through all (x, y, standard error) points, with their intervals."""
    found = list(found)
    plot.line([(x, y) for x, y, _ in found], kind, name, dashes)
    for x, y, error in found:
        plot.interval(x, y - 1.96 * error, y + 1.96 * error, kind)
        plot.dot(x, y, kind, radius=3)
