"""`starspiel export`: stored games as JSON lines or CSV."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.export import write_csv, write_jsonl
from starspiel.evaluation.store import Store


def export(
    store: Path,
    /,
    *,
    format: Literal["csv", "jsonl"] = "csv",
    out: Annotated[Path | None, Parameter(alias="-o")] = None,
) -> None:
    """Write the games of a store as CSV (one row a game) or JSON lines (with every move).

    Examples:

        starspiel export run.db > games.csv
        starspiel export run.db --format jsonl -o games.jsonl

    Parameters
    ----------
    store
        The file that `starspiel tournament --store` wrote.
    format
        csv or jsonl.
    out
        A file to write; standard output without.
    """
    write = write_csv if format == "csv" else write_jsonl
    with Store(store, read_only=True) as opened:
        if out is None:
            write(opened.games(), sys.stdout)
            return
        try:
            with out.open("w", encoding="utf-8", newline="") as file:
                write(opened.games(), file)
        except OSError as error:
            raise StarspielError(f"cannot write {out}: {error.strerror}.") from None
