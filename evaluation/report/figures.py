"""The drawings of the page, from a TournamentResult; "" if there is nothing to draw."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice
from math import isfinite, isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from starspiel.agents.evaluators.auto import usual_outlook
from starspiel.envs.base import CHANCE
from starspiel.envs.chart.axis import Axis
from starspiel.envs.chart.plot import BOTTOM, LEFT, RIGHT, TOP, Line, Plot, line_plot
from starspiel.envs.chart.rows import interval_plot
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import game_of
from starspiel.envs.outlook import outlook
from starspiel.evaluation.play.pairing import units
from starspiel.evaluation.report.points import paid
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.store.replay import ending, events
from starspiel.evaluation.store.rows import StoredGame
from starspiel.evaluation.store.store import Store

#: Games whose values over time are drawn, and games looked at to choose them.
_DRAWN, _LOOKED_AT = 3, 300
#: The best agents whose ratings over pairs are drawn.
_LINES = 10


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
    """What the dice gave each agent."""
    rows = [
        (result.agents[each.agent], each.mean, each.mean - each.margin, each.mean + each.margin)
        for each in result.lucks
    ]
    return interval_plot(rows, f"luck in the {paid(result)} of a game")


class _Strength(NamedTuple):
    """An agent's CPU time a move, and its rating."""

    agent: str
    ms: float
    elo: float
    low: float
    high: float

    def is_beaten_by(self, other: "_Strength") -> bool:
        """Whether the other is rated as high in less time, or higher in no more."""
        better = other.ms <= self.ms and other.elo >= self.elo
        return better and (other.ms, other.elo) != (self.ms, self.elo)


def efficiency(result: TournamentResult) -> dict[str, Any] | None:
    """Elo against CPU time a move, and who is best for its time; None unless that is known of two agents."""
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


def convergence(result: TournamentResult) -> dict[str, Any] | None:
    """Elo after more and more pairs; None if that is one number an agent."""
    order = [result.agents.index(name) for name in result.ranked_names][:_LINES]
    lines = []
    for agent in order:
        course = [(float(pairs), float(ratings.elo[agent])) for pairs, ratings in result.convergence]
        if rated := [(pairs, elo) for pairs, elo in course if not isnan(elo)]:
            lines.append(Line(result.agents[agent], rated))
    points = [point for line in lines for point in line.points]
    if len({pairs for pairs, _ in points}) < 2:
        return None
    plot = line_plot(lines, *_axes("pairs a meeting", "Elo", points, is_log=True))
    return {"plot": plot.inline("Elo by pairs a meeting"), "left_out": len(result.agents) - len(order)}


def drawn_games(result: TournamentResult, store: str | Path | None) -> list[dict[str, str]]:
    """The games whose values swung the most: title, plot and end of each."""
    games = sorted(_looked_at(result, store), key=_swing, reverse=True)
    return list(islice((drawn for game in games if (drawn := _drawn(result, game))), _DRAWN))


def _swing(game: StoredGame) -> float:
    """How far the values of the game's players went up and down, each by its own."""
    values = [np.array(moves.values) for moves in game.record.moves]
    return sum(float(np.abs(np.diff(own[~np.isnan(own)])).sum()) for own in values)


def _looked_at(result: TournamentResult, store: str | Path | None) -> Iterable[StoredGame]:
    if store is None:
        return islice(_own_games(result), _LOOKED_AT)
    with Store(store, read_only=True) as opened:
        games = (game for game in opened.games() if game.game == result.game and game.seed == result.seed)
        return list(islice((game for game in games if set(game.names) <= set(result.agents)), _LOOKED_AT))


def _own_games(result: TournamentResult) -> Iterable[StoredGame]:
    for pair in result.pairs:
        for record in pair.games:
            names = tuple(result.agents[agent] for agent in record.agents)
            start = result.starts[pair.pair.start]
            yield StoredGame("", result.game, result.seed, pair.pair.number, start, names, record)


def _drawn(result: TournamentResult, game: StoredGame) -> dict[str, str] | None:
    lines: list[tuple[str, list[tuple[float, float]]]] = [(name, []) for name in game.names]
    told = None
    try:
        for event in events(game, trust=True):  # Its name is that of the tournament's own game.
            told = told or usual_outlook(game_of(event.after))
            if event.player != CHANCE and event.value is not None:
                lines[event.player][1].append((float(event.number), told.of(event.value)))
    except StarspielError:
        return None  # a game made in Python that has no name to load it by
    points = [point for _, own in lines for point in own]
    if told is None or len(points) < 2:
        return None
    word = f"{'The mover' if result.blocks else 'Player 0'}'s {told.word}"
    x, y = _axes("event of the game", word, points)
    if told.is_chance:
        y = replace(y, low=-0.05, high=1.05, told=lambda share: f"{100 * share:.0f} %")
    plot = line_plot([Line(name, own) for name, own in lines if own], x, y)
    named, unit = f", game {game.id}" if game.id else "", units(len(game.names)).removesuffix("s")
    return {
        "title": f"{' against '.join(game.names)}, {unit} {game.number}{named}",
        "plot": plot.inline(f"{word}, by event"),
        "word": word,
        "end": ending(game, outlook(game_of(event.after))),
    }


def _axes(
    title_x: str, title_y: str, points: Sequence[tuple[float, float]], *, is_log: bool = False
) -> tuple[Axis, Axis]:
    """The axes of a plot that holds these points."""
    x = Axis.around(title_x, [x for x, _ in points], LEFT, RIGHT, is_log=is_log)
    return x, Axis.around(title_y, [y for _, y in points], BOTTOM, TOP)
