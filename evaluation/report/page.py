"""Writes the page of a TournamentResult, with everything that a reviewer would ask for."""

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from starspiel.envs.template import filled
from starspiel.envs.text import printable_lines
from starspiel.evaluation.environment import environment
from starspiel.evaluation.outputs import check_output, files_of_store, replacing
from starspiel.evaluation.play.dice import content_key
from starspiel.evaluation.play.pairing import in_units, units
from starspiel.evaluation.report import figures, tables
from starspiel.evaluation.report.columns import COSTS, shown
from starspiel.evaluation.report.faults import FLAG, fault_lines, flagged
from starspiel.evaluation.report.notes import blocks_note, differences_note, key_shown, notes_of, zero_note
from starspiel.evaluation.report.points import in_points, paid
from starspiel.evaluation.report.settings_file import as_link, settings_file
from starspiel.evaluation.report.verdict import ranks, verdict
from starspiel.evaluation.report.words import bounds, elo, listed
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.comparisons import cycles, holm, p_values
from starspiel.evaluation.statistics.ratings import fit_test
from starspiel.evaluation.statistics.sprt import normalized_elo


class Series(NamedTuple):
    """The position of a page among those of a run's games.

    Attributes:
        number: the number of the page's game, from 1.
        planned: the number of games of the run.
        pages: (game, file name) of all pages written.
    """

    number: int
    planned: int
    pages: tuple[tuple[str, str], ...]


def write_reports(
    results: Sequence[TournamentResult], paths: Sequence[Path], *, store: str | Path | None = None
) -> list[Path]:
    """Writes a page for each game of a run, with links to the others, and returns the files.

    `paths` are the files for all planned games, in one folder. Raises StarspielError as `write_report` does.
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
    """Writes the page for a tournament; `store` is the file of its games, if there is one.

    Raises StarspielError if the page cannot be written, or would replace the store.
    """
    check_output("the report", Path(path), [] if store is None else files_of_store(store))
    text = page(result, series=series)
    with replacing("the report", Path(path)) as file:
        file.write(text)


def page(result: TournamentResult, *, series: Series | None = None) -> str:
    """Returns the HTML text, without scripts, and with links only to the other pages of its series."""
    result = in_points(result)
    two = result.two_player and bool(result.games)
    settings = settings_file(result)
    text = filled(
        Path(__file__).with_name("page.html"),
        result=result,
        paid=paid(result),
        two=two,
        series=series,
        figures=figures,
        tables=tables,
        notes=notes_of(result),
        verdict=verdict(result),
        zero_note=zero_note(result) if two else "",
        differences_note=differences_note(result),
        blocks_note="" if result.blocks is None else blocks_note(result, result.blocks),
        played=in_units(result.games, result.tally.pairs, units(result.players)),
        units=units(result.players),
        key=("seed", result.seed) if result.key is None else ("key", key_shown(result)),
        dice_keys=_dice_keys(result),
        headings=[column.heading for column in shown(result)],
        standings=_standings(result),
        flagged=flagged(result),
        flag=FLAG,
        crosstable=_crosstable(result) if two or result.blocks is not None else [],
        tests=_tests(result) if two else [],
        cycles=cycles(result.results) if two else [],
        fit=fit_test(result.results, result.ratings) if two else None,
        seats=_seats(result) if two else [],
        advantage=_advantage(result) if two else "",
        cost_headings=["agent", *(column.heading for column in COSTS), "forfeited games"],
        costs=_costs(result),
        faults=fault_lines(result),
        settings=settings,
        settings_link=as_link(settings),
        starts="" if result.starts == ((),) else listed(result.starts),
        environment=environment(),
        specs=[
            (name, spec, content_key(spec))
            for name, spec in zip(result.agents, result.specs or result.agents, strict=True)
        ],
    )
    return printable_lines(text)


def _standings(result: TournamentResult) -> list[dict[str, Any]]:
    open_ranks = ranks(result) if result.two_player else [(0, 0)] * len(result.agents)
    columns, lines = shown(result), []
    for line in result.standings:
        best, worst = open_ranks[result.agents.index(line.agent)]
        span = "" if not best else f"{best}" if best == worst else f"{best}–{worst}"
        lines.append({"agent": line.agent, "ranks": span, "cells": [column.text(line) for column in columns]})
    return lines


def _costs(result: TournamentResult) -> tables.Rows:
    by_name, rows = {line.agent: line for line in result.standings}, []
    for name in result.agents:
        line = by_name[name]
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(line.totals.forfeits.items()))
        forfeits = Markup('<span class="bad">{}</span>').format(kinds) if kinds else "0"
        rows.append((name, *(column.text(line) for column in COSTS), forfeits))
    return rows


def _crosstable(result: TournamentResult) -> list[dict[str, Any]]:
    order = [result.agents.index(name) for name in result.ranked_names]
    (low, high), matrix, pairs = result.matrix_interval, result.matrix, result.results.pairs

    def cell(i: int, j: int) -> dict[str, str] | None:
        score = float(matrix[i, j])
        if isnan(score):
            return None
        return {
            "colour": _heat(score),
            "score": f"{100 * score:.1f}",
            "interval": f"{100 * low[i, j]:.0f}–{100 * high[i, j]:.0f}",
            "pairs": f"{int(pairs[i, j])} pairs" if result.two_player else "",
        }

    return [{"agent": result.agents[i], "cells": [cell(i, j) for j in order]} for i in order]


def _tests(result: TournamentResult) -> tables.Rows:
    """Returns a row for every meeting with its tests, the better agent first."""
    results = result.results
    corrected = holm(p_values(results))
    order = [result.agents.index(name) for name in result.ranked_names]
    rows: tables.Rows = []
    for rank, a in enumerate(order):
        for b in order[rank + 1 :]:
            if not results.pairs[a, b]:
                continue
            i, j = (a, b) if results.matrix[a, b] >= 0.5 else (b, a)
            bold = Markup("<strong>{}</strong>" if corrected[i, j] < 0.05 else "{}")
            rows.append(
                (
                    result.agents[i],
                    result.agents[j],
                    " ".join(map(str, results.five(i, j))),
                    elo(normalized_elo(results.smoothed_five(i, j))),
                    bold.format(f"{corrected[i, j]:.3g}"),
                )
            )
    return rows


def _seats(result: TournamentResult) -> tables.Rows:
    by_seat = result.results.by_seat
    rows = []
    for name in result.ranked_names:
        agent = result.agents.index(name)
        own = by_seat[agent].sum(axis=0), by_seat[:, agent].sum(axis=0)[::-1]
        rows.append((name, *map(_percent, own)))
    first = result.tally.seat_0
    return [*rows, ("all", _percent(first), _percent(first[::-1]))]


def _percent(counts: Sequence[float]) -> str:
    losses, draws, wins = (float(count) for count in counts)
    games = losses + draws + wins
    return f"{100 * (wins + draws / 2) / games:.1f} % of {games:,.0f}" if games else "–"


def _advantage(result: TournamentResult) -> str:
    advantage, low, high = result.ratings.seat_advantage
    return f"{elo(advantage)} Elo ({bounds(low, high, shown=elo)})"


def _dice_keys(result: TournamentResult) -> int:
    """Returns the number of different dice: each game of an external agent has its own."""
    own = [result.agents.index(name) for name in result.own_dice]
    if result.two_player:
        met = result.results.pairs
        return result.tally.pairs + int(met[own].sum() - met[np.ix_(own, own)].sum() / 2)
    solo = result.mean_returns
    if result.blocks is not None:
        foreign = np.isin(result.blocks.agents, own).any(axis=(1, 2)).sum()
        return result.tally.pairs + int(foreign) * (result.players - 1)
    shared = {number for agent, returns in enumerate(solo) if agent not in own for number in returns}
    return len(shared) + sum(len(solo[agent]) for agent in own)


def _heat(share: float) -> str:
    """Returns a background colour for a score, 0 (orange) to 1 (blue), on which black text is readable."""
    far = max(-1.0, min(1.0, 2.0 * share - 1.0))
    channels = (86, 180, 233) if far > 0 else (230, 159, 0)
    return "#" + "".join(f"{round(255 + (channel - 255) * abs(far)):02x}" for channel in channels)
