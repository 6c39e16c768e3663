"""`starspiel export`: stored games as JSON lines or CSV, and the runs that played them."""

import os
import sys
from pathlib import Path
from typing import Annotated, Literal, TextIO

from cyclopts import Parameter

from starspiel.cli.output import opened_for_reading
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.outputs import check_output, files_of_store, replacing
from starspiel.evaluation.store.export import write_csv, write_jsonl, write_runs
from starspiel.evaluation.store.store import Store


def export(
    store: Path,
    /,
    *,
    format: Literal["csv", "jsonl", "runs"] = "csv",
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    salvage: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Write the games of a store as CSV (one row a game) or JSON lines (with every move).

    Both have player 0's luck by every evaluator that a tournament on this store has measured it with
    (--luck): a player's luck-adjusted return is the return without it.

    For example:

        starspiel export run.db > games.csv
        starspiel export run.db --format jsonl -o games.jsonl
        starspiel export run.db --format runs

    Parameters
    ----------
    store
        The file that `starspiel tournament --store` wrote.
    format
        csv, jsonl, or runs: one JSON object a line for each run that wrote to the store, with its settings,
        command, versions and machine.
    output
        A file to write; standard output without. What was there is replaced once all is written.
    salvage
        Leave out what is damaged, and say on standard error which pairs those are.
    """
    if output is not None:
        check_output("the export", output, files_of_store(store))
    elif store.exists() and os.path.samestat(os.fstat(1), store.stat()):
        raise StarspielError(f"standard output is the store {store}; send it to another file.")
    with opened_for_reading(store, salvage=salvage) as opened:
        if output is None:
            _write(opened, format, sys.stdout)
            return
        with replacing("the export", output) as file:
            _write(opened, format, file)


def _write(store: Store, format: str, out: TextIO) -> None:
    if format == "csv":
        write_csv(store.rows(), store.evaluators(), out)
    elif format == "jsonl":
        with store.explained():
            write_jsonl((row.json for row in store.rows()), out)
    else:
        write_runs(store.runs(), out)
