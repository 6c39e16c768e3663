"""The page: everything that a reviewer would ask for, from a TournamentResult."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from starspiel.envs.text import printable_lines
from starspiel.evaluation.environment import environment
from starspiel.evaluation.outputs import check_output, files_of_store, replacing
from starspiel.evaluation.play.dice import content_key
from starspiel.evaluation.report.columns import COSTS, STANDINGS, shown
from starspiel.evaluation.report.drawing import (
    heat,
)
from starspiel.evaluation.report.faults import FLAG, fault_lines, flag_note, flagged
from starspiel.evaluation.report.figures import (
    Figures,
    convergence,
    drawn_games,
    efficiency,
    length_in_words,
    lengths_plot,
    luck_plot,
    ratings_plot,
)
from starspiel.evaluation.report.luck import luck_alarm, luck_note, luck_rows, lucks_rows
from starspiel.evaluation.report.notes import (
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
    zero_note,
)
from starspiel.evaluation.report.settings_file import as_link, settings_file
from starspiel.evaluation.report.words import elo, listed
from starspiel.evaluation.result import Standing, TournamentResult
from starspiel.evaluation.statistics.comparisons import cycles, holm, p_values, rank_sets
from starspiel.evaluation.statistics.ratings import fit_test
from starspiel.evaluation.statistics.sprt import normalized_elo


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

    `paths` are those of all planned games, in one folder. Raises StarspielError as `write_report` does.
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

    Raises StarspielError if the file cannot be written, or is the store's.
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
        "ratings": Markup(ratings_plot(result)),
        "crosstable": _crosstable(result) if two else [],
        "tests": _tests(result) if two else [],
        "cycles": [[result.agents[agent] for agent in cycle] for cycle in cycles(result.results)]
        if two
        else [],
        "fit": fit_test(result.results, result.ratings) if two else None,
        "zero": zero_named(result) if two else "",
        "zero_note": zero_note(result) if two else "",
        "seats": _seats(result) if two else [],
        "seat_advantage": [elo(value) for value in result.ratings.seat_advantage] if two else None,
        "key": key_shown(result),
        "differences": difference_rows(result),
        "differences_note": DIFFERENCES_NOTE,
        "common_starts_note": COMMON_STARTS_NOTE,
        "dice_keys": _dice_keys(result),
        "efficiency": efficiency(result),
        "convergence": convergence(result),
        "lengths": Markup(lengths_plot(result)),
        "length": length_in_words(result),
        "luck": luck_rows(result),
        "lucky": lucks_rows(result),
        "lucky_plot": Markup(luck_plot(result)),
        "settings": settings,
        "settings_link": as_link(settings),
        "starts": "" if result.starts == ((),) else listed(result.starts),
        "games": [
            {"title": drawn.title, "plot": Markup(drawn.plot), "end": drawn.end}
            for drawn in drawn_games(result, store)
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
    corrected = holm(p_values(results))
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
    """How many different dice there were; foreign agents have others in every game."""
    own = [result.agents.index(name) for name in result.own_dice]
    if result.two_player:
        met = result.results.pairs
        return result.tally.pairs + int(met[own].sum() - met[np.ix_(own, own)].sum() / 2)
    solo = result.tally.solo
    shared = {number for agent, returns in enumerate(solo) if agent not in own for number in returns}
    return len(shared) + sum(len(solo[agent]) for agent in own)
