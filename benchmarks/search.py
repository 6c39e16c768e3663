"""Times the searches at fixed positions, beside OpenSpiel's own."""

import math
import platform
import sys
from dataclasses import asdict
from importlib.metadata import version
from typing import Annotated, Any

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text
from searches import CELLS, FULL, STATES, Report, geometric_mean, measure, shortfalls

from starspiel.cli.output import show, show_json
from starspiel.envs.errors import StarspielError, did_you_mean


def search(
    *game: str,
    repeat: int = 3,
    patience: float = 60.0,
    require: Annotated[bool, Parameter(negative="")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> int:
    """Time the searches at fixed positions, beside OpenSpiel's own expectiminimax in C++ and in Python.

    Seconds are of processor time. Exits with 1 if two searches of one position and depth find different
    values.

    For example:

        python benchmarks/search.py
        python benchmarks/search.py pig banqi --json

    Parameters
    ----------
    game
        Only these games.
    repeat
        Runs of each search; the fastest counts.
    patience
        Seconds after which a search is given up.
    require
        Exit with 1 also if native star2 is not 300 times sooner than OpenSpiel's C++ in the mean and
        60 times at each position, or native expectiminimax is slower than OpenSpiel's C++ anywhere.
    as_json
        Print one JSON object and nothing else.
    """
    if repeat < 1 or not 0 < patience < math.inf:
        raise StarspielError(f"repeat and patience must be positive, got {repeat} and {patience:g}.")
    known = [cell.game for cell in CELLS]
    chosen = known
    if game:
        chosen = [next((name for name in known if name.split("(")[0] == g.split("(")[0]), g) for g in game]
        for name in chosen:
            if name not in known:
                raise StarspielError(f"there is no benchmark position of {name}.{did_you_mean(name, known)}")
    reports: list[Report] = []
    progress = Console(stderr=True)
    for cell in CELLS:
        if cell.game not in chosen:
            continue
        with progress.status(f"{cell.game}, depth {cell.depth}") as status:
            for name, report in measure(cell, repeat, patience):
                status.update(f"{cell.game}, depth {cell.depth}: {name} done")
                if report not in reports:
                    reports.append(report)
        if not as_json:
            show(_table(reports[-1]))
    disagreements = [line for report in reports for line in report.disagreements]
    short = shortfalls(reports) if require else []
    if as_json:
        show_json(_as_json(reports, disagreements, short))
    else:
        show(Text(_summary(geometric_mean(reports), patience), style="bold"))
        for line in disagreements:
            show(Text(f"values differ: {line}", style="red"))
        for line in short:
            show(Text(f"too slow: {line}", style="red"))
    return 1 if disagreements or short else 0


def _summary(mean: float | None, patience: float) -> str:
    if mean is None:
        return (
            f"{FULL}: no position at which it and OpenSpiel's C++ both finished in {patience:g} s, so there "
            "is no mean; give more --patience."
        )
    return f"{FULL}: {mean:.1f} times sooner than OpenSpiel's C++ in the geometric mean"


def _table(report: Report) -> Table:
    cell = report.cell
    calls = "" if report.state_calls is None else f" ({report.state_calls:.0%} in state calls and evaluator)"
    table = Table(
        title=f"{cell.game}, {len(cell.history)} actions in", title_justify="left", box=None, pad_edge=False
    )
    for column, justify in (
        ("search", "left"),
        ("depth", "right"),
        ("seconds", "right"),
        ("nodes", "right"),
        ("value", "right"),
        ("times sooner", "right"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for row in report.rows:
        factor = report.speed_up(row)
        table.add_row(
            row.name + (calls if row.name == STATES else ""),
            str(row.depth),
            f"{row.seconds:.4f}" if row.value is not None else f"> {row.seconds:.0f}",
            "" if row.nodes is None else f"{row.nodes:,}",
            "" if row.value is None else f"{row.value:+.9f}",
            "" if factor is None else f"{factor:,.1f}",
        )
    return table


def _as_json(reports: list[Report], disagreements: list[str], short: list[str]) -> dict[str, Any]:
    return {
        "ok": not disagreements and not short,
        "disagreements": disagreements,
        "too_slow": short,
        "geometric_mean": geometric_mean(reports),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "open_spiel": version("open_spiel"),
        "cells": [
            {
                "game": report.cell.game,
                "history": list(report.cell.history),
                "state_calls": report.state_calls,
                "rows": [asdict(row) | {"times_sooner": report.speed_up(row)} for row in report.rows],
            }
            for report in reports
        ],
    }


if __name__ == "__main__":
    try:
        sys.exit(App(default_command=search, result_action="return_value")())
    except StarspielError as error:
        sys.exit(f"search.py: {error}")
