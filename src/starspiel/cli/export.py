"""`starspiel export`: writes stored games as JSON lines or CSV, or the runs that played them."""

import os
import sys
from contextlib import nullcontext
from typing import Literal

from starspiel.cli.flags import Output, Stored
from starspiel.envs.errors import StarspielError
from starspiel.envs.modules import resolve
from starspiel.evaluation.outputs import check_output, files_of_store, replacing
from starspiel.evaluation.store.export import write_csv, write_jsonl, write_runs
from starspiel.evaluation.store.store import Store


def export(
    store: Stored,
    /,
    *,
    format: Literal["csv", "jsonl", "runs", "mat"] = "csv",
    output: Output = None,
) -> None:
    """Write the games of a store as CSV (one row per game) or JSON lines (with every move).

    Both include player 0's luck, measured with each evaluator that a tournament on this store was given as
    --luck. A player's luck-adjusted return is the return minus the luck.

    For example:

        starspiel export run.db > games.csv
        starspiel export run.db --format jsonl -o games.jsonl
        starspiel export run.db --format runs

    Args:
        format: csv, jsonl, or runs, which writes one JSON object per line for each run that wrote to the
            store, with its settings, command, versions and machine. For backgammon also mat, which GNU
            Backgammon and eXtreme Gammon can import.
        output: A file to write instead of standard output. An existing file is replaced once the new one is
            complete.
    """
    if output is not None:
        check_output("the export", output, files_of_store(store))
    elif store.exists() and os.path.samestat(os.fstat(1), store.stat()):
        raise StarspielError(f"standard output is the store {store}; redirect it to another file.")
    with (
        Store(store, read_only=True) as opened,
        nullcontext(sys.stdout) if output is None else replacing("the export", output) as file,
    ):
        if format == "csv":
            write_csv(opened.rows(), opened.evaluators(), file, opened.seats())
        elif format == "mat":
            resolve("starspiel.evaluation.store.mat:write_mat")(opened.games(), file)
        elif format == "jsonl":
            with opened.explained():
                write_jsonl((row.json for row in opened.rows()), file)
        else:
            write_runs(opened.runs(), file)
