"""The page: everything that a reviewer would ask for, from a TournamentResult."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isfinite, isnan
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError
from starspiel.envs.printable import printable_lines
from starspiel.evaluation.environment import environment
from starspiel.evaluation.outputs import check_output, files_of_store, replacing
from starspiel.evaluation.play.dice import content_key
from starspiel.evaluation.report.columns import COSTS, STANDINGS, shown
from starspiel.evaluation.report.drawing import (
    bar_plot,
    heat,
    interval_plot,
    line_plot,
    ratio_axes,
    scatter_plot,
    value_axes,
)
from starspiel.evaluation.report.faults import FLAG, fault_lines, flag_note, flagged
from starspiel.evaluation.report.luck import luck_alarm, luck_note, luck_rows, lucks_rows
from starspiel.evaluation.report.settings_file import as_link, settings_file
from starspiel.evaluation.report.text import (
    COMMON_STARTS_NOTE,
    DIFFERENCES_NOTE,
    alike_note,
    clock_note,
    difference_rows,
    few_pairs_note,
    key_shown,
    looks_note,
    own_dice_note,
    sprt_note,
    timed_note,
    zero_named,
)
from starspiel.evaluation.report.words import elo, listed
from starspiel.evaluation.result import Standing, TournamentResult
from starspiel.evaluation.statistics.comparisons import cycles, holm, los_matrix, p_values, rank_sets
from starspiel.evaluation.statistics.ratings import fit_test
from starspiel.evaluation.statistics.sprt import normalized_elo
from starspiel.evaluation.store.replay import events
from starspiel.evaluation.store.rows import StoredGame
from starspiel.evaluation.store.store import Store

#: Games whose values over time are drawn, and games looked at to choose them.
_DRAWN, _LOOKED_AT = 3, 300
#: The best agents whose ratings over pairs are drawn.
_LINES = 10


@dataclass(frozen=True)
class Series:
    """Where a page stands among those of a run of several games.

    Attributes:
        number: which one it is, from 1.
        planned: how many games the run was to have.
        pages: (game, file name) of all that are written, in order, into the same folder.
    """

    number: int
    planned: int
    pages: tuple[tuple[str, str], ...]


def write_reports(
    results: Sequence[TournamentResult], paths: Sequence[Path], *, store: str | Path | None = None
) -> list[Path]:
    """Writes a page for each game of a run, with links to the others, and returns the files.

    `paths` are the files of all games that were planned, in one folder; of a run that was stopped, the last
    are left alone. Raises StarspielError as `write_report` does.
    """
    written = list(zip(results, paths, strict=False))
    pages = tuple((result.game, path.name) for result, path in written)
    for number, (result, path) in enumerate(written, start=1):
        series = Series(number, len(paths), pages) if len(paths) > 1 else None
        write_report(result, path, store=store, series=series)
    return [path for _, path in written]


def write_report(
    result: TournamentResult,
    path: str | Path,
    *,
    store: str | Path | None = None,
    series: Series | None = None,
) -> None:
    """Writes the page for a tournament; `store` is where its games are, if it has none of its own.

    What was at `path` is replaced once all is written. Raises StarspielError where the file cannot be
    written, and where it is the store's.
    """
    check_output("the report", Path(path), [] if store is None else files_of_store(store))
    text = page(result, store=store, series=series)
    with replacing("the report", Path(path)) as file:
        file.write(text)


def page(result: TournamentResult, *, store: str | Path | None = None, series: Series | None = None) -> str:
    """The HTML text: no scripts, and no links but to the other pages of its series."""
    templates = Environment(
        loader=PackageLoader("starspiel.evaluation.report", "."),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    text = templates.get_template("page.html").render(_content(result, store) | {"series": series})
    return printable_lines(text)


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


def _content(result: TournamentResult, store: str | Path | None) -> dict[str, Any]:
    settings = settings_file(result)
    two = result.two_player and bool(result.games)
    return {
        "result": result,
        "tally": result.tally,
        "headings": [column.heading for column in shown(STANDINGS, result.two_player)],
        "standings": _standings(result),
        "cost_headings": [column.heading for column in COSTS],
        "costs": _costs(result),
        "figure": Figures(),
        "flagged": flagged(result),
        "flag": FLAG,
        "faults": fault_lines(result),
        "notes": {
            "flag": flag_note(result),
            "alike": alike_note(result),
            "clock": clock_note(result),
            "sprt": sprt_note(result),
            "looks": looks_note(result),
            "luck": " ".join(note for note in (luck_alarm(result), luck_note(result)) if note),
            "few_pairs": few_pairs_note(result),
            "own_dice": own_dice_note(result),
            "timed": timed_note(result),
        },
        "two": two,
        "ratings": Markup(_ratings(result)),
        "crosstable": _crosstable(result) if two else [],
        "tests": _tests(result) if two else [],
        "cycles": [[result.agents[agent] for agent in cycle] for cycle in cycles(result.results)]
        if two
        else [],
        "fit": fit_test(result.results, result.ratings) if two else None,
        "zero": zero_named(result) if two else "",
        "seats": _seats(result) if two else [],
        "seat_advantage": [elo(value) for value in result.ratings.seat_advantage] if two else None,
        "key": key_shown(result),
        "differences": difference_rows(result),
        "differences_note": DIFFERENCES_NOTE,
        "common_starts_note": COMMON_STARTS_NOTE,
        "dice_keys": _dice_keys(result),
        "efficiency": _efficiency(result),
        "convergence": _convergence(result),
        "lengths": Markup(_lengths(result)),
        "length": _length(result),
        "luck": luck_rows(result),
        "lucky": lucks_rows(result),
        "lucky_plot": Markup(_lucky(result)),
        "settings": settings,
        "settings_link": as_link(settings),
        "starts": "" if result.starts == ((),) else listed(result.starts),
        "games": [
            {"title": drawn.title, "plot": Markup(drawn.plot), "end": drawn.end}
            for drawn in _games(result, store)
        ],
        "environment": environment(),
        "specs": [
            (name, spec, content_key(spec))
            for name, spec in zip(result.agents, result.specs or result.agents, strict=True)
        ],
    }


def _standings(result: TournamentResult) -> list[dict[str, Any]]:
    ranks = rank_sets(result.ratings) if result.two_player else []
    columns = shown(STANDINGS, result.two_player)
    lines = []
    for line in result.standings:
        best, worst = (0, 0) if isnan(line.elo) else ranks[result.agents.index(line.agent)]
        span = "" if not best else f"{best}" if best == worst else f"{best}–{worst}"
        lines.append({"agent": line.agent, "ranks": span, "cells": [column.text(line) for column in columns]})
    return lines


def _costs(result: TournamentResult) -> list[tuple[str, ...]]:
    by_name = {line.agent: line for line in result.standings}
    return [
        (name, *(column.text(by_name[name]) for column in COSTS), _forfeits(by_name[name]))
        for name in result.agents
    ]


def _forfeits(line: Standing) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(line.totals.forfeits.items()))
    return Markup('<span class="bad">{}</span>').format(kinds) if kinds else "0"


def _ratings(result: TournamentResult) -> str:
    if result.two_player:
        return interval_plot([(s.agent, s.elo, s.low, s.high) for s in result.standings], "Elo")
    return interval_plot(
        [(s.agent, s.mean, s.mean_low, s.mean_high) for s in result.standings], "mean return"
    )


def _crosstable(result: TournamentResult) -> list[dict[str, Any]]:
    order = [result.agents.index(name) for name in result.ranked_names]
    (low, high), matrix, pairs = result.matrix_interval, result.matrix, result.results.pairs
    rows = []
    for i in order:
        cells: list[dict[str, str] | None] = []
        for j in order:
            score = float(matrix[i, j])
            if isnan(score):
                cells.append(None)
                continue
            cells.append(
                {
                    "colour": heat(score),
                    "score": f"{100 * score:.1f}",
                    "interval": f"{100 * low[i, j]:.0f}–{100 * high[i, j]:.0f}",
                    "pairs": f"{int(pairs[i, j])} pairs",
                }
            )
        rows.append({"agent": result.agents[i], "cells": cells})
    return rows


def _tests(result: TournamentResult) -> list[tuple[str, ...]]:
    """Every meeting with its tests, the better agent first."""
    results = result.results
    matrix, pairs = results.matrix, results.pairs
    p, los = p_values(results), los_matrix(results)
    corrected = holm(p)
    order = [result.agents.index(name) for name in result.ranked_names]
    rows: list[tuple[str, ...]] = []
    for rank, a in enumerate(order):
        for b in order[rank + 1 :]:
            if not pairs[a, b]:
                continue
            i, j = (a, b) if matrix[a, b] >= 0.5 else (b, a)
            p_shown = f"{corrected[i, j]:.3g}"
            rows.append(
                (
                    result.agents[i],
                    result.agents[j],
                    " ".join(map(str, results.five(i, j))),
                    "> 99.9 %" if los[i, j] >= 0.9995 else f"{100 * los[i, j]:.1f} %",
                    elo(normalized_elo(results.smoothed_five(i, j))),
                    Markup("<strong>{}</strong>").format(p_shown) if corrected[i, j] < 0.05 else p_shown,
                )
            )
    return rows


def _seats(result: TournamentResult) -> list[tuple[str, str, str]]:
    rows = []
    by_seat = result.results.by_seat
    for name in result.ranked_names:
        agent = result.agents.index(name)
        first, second = by_seat[agent].sum(axis=0), by_seat[:, agent].sum(axis=0)[::-1]
        rows.append((name, _percent(first), _percent(second)))
    losses, draws, wins = result.tally.seat_0
    all_first = np.array([losses, draws, wins], dtype=float)
    rows.append(("all", _percent(all_first), _percent(all_first[::-1])))
    return rows


def _percent(counts: Any) -> str:
    losses, draws, wins = (float(count) for count in counts)
    games = losses + draws + wins
    return f"{100 * (wins + draws / 2) / games:.1f} % of {games:,.0f}" if games else "–"


def _dice_keys(result: TournamentResult) -> int:
    """How many different dice there were: a pair shares them, and in one-player games all agents do.

    Foreign agents have others in every game.
    """
    own = [result.agents.index(name) for name in result.own_dice]
    if result.two_player:
        met = result.results.pairs
        return result.tally.pairs + int(met[own].sum() - met[np.ix_(own, own)].sum() / 2)
    solo = result.tally.solo
    shared = {number for agent, returns in enumerate(solo) if agent not in own for number in returns}
    return len(shared) + sum(len(solo[agent]) for agent in own)


def _lengths(result: TournamentResult) -> str:
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


def _length(result: TournamentResult) -> str:
    lengths = sorted(result.tally.lengths.elements())
    if not lengths:
        return "none"
    return f"{lengths[0]} to {lengths[-1]} events, median {lengths[len(lengths) // 2]}"


def _lucky(result: TournamentResult) -> str:
    """What the dice gave each agent, drawn."""
    rows = [
        (result.agents[each.agent], each.mean, each.mean - each.margin, each.mean + each.margin)
        for each in result.lucks
    ]
    return interval_plot(rows, "luck per game, in return")


def _efficiency(result: TournamentResult) -> dict[str, Any] | None:
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


def _convergence(result: TournamentResult) -> dict[str, Any] | None:
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


def _games(result: TournamentResult, store: str | Path | None) -> list[_Drawn]:
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
