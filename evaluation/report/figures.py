"""The drawings of the page, from a TournamentResult."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite, isnan
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.report.drawing import (
    bar_plot,
    interval_plot,
    line_plot,
    ratio_axes,
    scatter_plot,
    value_axes,
)
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.store.replay import events
from starspiel.evaluation.store.rows import StoredGame
from starspiel.evaluation.store.store import Store

#: Games whose values over time are drawn, and games looked at to choose them.
_DRAWN, _LOOKED_AT = 3, 300
#: The best agents whose ratings over pairs are drawn.
_LINES = 10


class Figures:
    """Numbers the figures of a page as they come, and puts the caption below each."""

    def __init__(self) -> None:
        self._number = 0

    def __call__(self, drawing: str, caption: str) -> Markup:
        if not drawing:
            return Markup("")
        self._number += 1
        return Markup("<figure>{}<figcaption>Figure {}. {}</figcaption></figure>").format(
            Markup(drawing), self._number, caption
        )


def ratings_plot(result: TournamentResult) -> str:
    if result.two_player:
        return interval_plot([(s.agent, s.elo, s.low, s.high) for s in result.standings], "Elo")
    return interval_plot(
        [(s.agent, s.mean, s.mean_low, s.mean_high) for s in result.standings], "mean return"
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
    return bar_plot(
        [(str(low + width * number), count) for number, count in enumerate(bins)],
        "length of a game, events" if width == 1 else f"length of a game, events, {width} to a bar",
        "games",
    )


def length_in_words(result: TournamentResult) -> str:
    lengths = sorted(result.tally.lengths.elements())
    if not lengths:
        return "none"
    return f"{lengths[0]} to {lengths[-1]} events, median {lengths[len(lengths) // 2]}"


def luck_plot(result: TournamentResult) -> str:
    """What the dice gave each agent, drawn."""
    rows = [
        (result.agents[each.agent], each.mean, each.mean - each.margin, each.mean + each.margin)
        for each in result.lucks
    ]
    return interval_plot(rows, "luck per game, in return")


def efficiency(result: TournamentResult) -> dict[str, Any] | None:
    """Elo against CPU time a move, and who is best for its time; None where that is not known of two."""
    points = [
        (line.agent, 1000.0 * line.totals.cost.seconds_per_move, line.elo, line.low, line.high)
        for line in result.standings
        if line.totals.cost.seconds > 0.0 and not isnan(line.elo)
    ]
    if not result.two_player or len(points) < 2:
        return None
    frontier = [one for one in points if not any(_better(other, one) for other in points)]
    ends = [end for point in points for end in point[2:] if isfinite(end)]
    x, y = ratio_axes(
        "CPU time a move, ms", "Elo", [(point[1], end) for point in points for end in (min(ends), max(ends))]
    )
    steps = [(point[1], point[2]) for point in sorted(frontier, key=lambda point: point[1])]
    names = {point[0] for point in frontier}
    return {
        "plot": Markup(scatter_plot(points, steps, x, y, "Elo against CPU time a move")),
        "agents": [{"name": point[0], "best": point[0] in names} for point in points],
    }


def _better(
    one: tuple[str, float, float, float, float], other: tuple[str, float, float, float, float]
) -> bool:
    """Whether an agent is rated as high in less time, or higher in no more."""
    return one[1] <= other[1] and one[2] >= other[2] and one[1:3] != other[1:3]


def convergence(result: TournamentResult) -> dict[str, Any] | None:
    """Elo after more and more pairs; None where that is one number an agent."""
    course = result.convergence
    if len(course) < 2:
        return None
    order = [result.agents.index(name) for name in result.ranked_names][:_LINES]
    lines = [
        (
            result.agents[agent],
            [
                (float(pairs), float(ratings.elo[agent]))
                for pairs, ratings in course
                if not isnan(ratings.elo[agent])
            ],
        )
        for agent in order
    ]
    points = [point for _, its_points in lines for point in its_points]
    if len({pairs for pairs, _ in points}) < 2:
        return None
    x, y = ratio_axes("pairs a meeting", "Elo", points)
    return {
        "plot": Markup(line_plot([line for line in lines if line[1]], x, y, "Elo by pairs a meeting")),
        "left_out": len(result.agents) - len(order),
    }


@dataclass(frozen=True)
class _Drawn:
    title: str
    plot: str
    end: str


def drawn_games(result: TournamentResult, store: str | Path | None) -> list[_Drawn]:
    """The games whose values swung the most, drawn."""
    games = sorted(_looked_at(result, store), key=_swing, reverse=True)
    return list(islice((found for game in games if (found := _drawn(game))), _DRAWN))


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


def _drawn(game: StoredGame) -> _Drawn | None:
    lines: list[tuple[str, list[tuple[float, float]]]] = [(name, []) for name in game.names]
    try:
        for event in events(game, trust=True):  # Its name is that of the tournament's own game.
            if event.player != CHANCE and event.value is not None:
                lines[event.player][1].append((float(event.number), event.value))
    except StarspielError:
        return None  # a game made in Python that has no name to load it by
    points = [point for _, its_points in lines for point in its_points]
    if len(points) < 2:
        return None
    x, y = value_axes("event of the game", "player 0's expected return", points)
    title = f"{' against '.join(game.names)}, pair {game.number}" + (f", game {game.id}" if game.id else "")
    returns = ", ".join(f"{value:g}" for value in game.record.returns)
    drawn: Sequence[tuple[str, list[tuple[float, float]]]] = [line for line in lines if line[1]]
    plot = line_plot(drawn, x, y, "player 0's expected return, by event")
    return _Drawn(title, plot, f"Returns {returns}.")
