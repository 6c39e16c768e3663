"""Merges stores of one tournament, and copies a store without damaged parts."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.files import beside
from starspiel.envs.text import printable
from starspiel.evaluation.environment import versions
from starspiel.evaluation.outputs import unwritable
from starspiel.evaluation.store.salvage import salvaged
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.tables import ATTEMPTS, TABLES, has_table
from starspiel.evaluation.store.verify import check_sample

#: The settings that stores must share to be merged. Others (pairs, workers, luck, …) may differ.
_SETTINGS = ("game", "seed", "agents", "format", "starts", "clock", "sprt", "limits", "common_dice")
#: The columns of a game that must be equal in all stores; costs of moves may differ.
_RESULT = ("return0", "return1", "length", "actions_key", "fault_seat", "fault_kind")


@dataclass
class Merged:
    """The result of a merge.

    Attributes:
        pairs: number of pairs in the merged store.
        units: what the pairs are called: see `Store.units`.
        new: for each store in order, the number of pairs that no store before it contained.
        skipped: descriptions of what was left out as damaged.
        compared: number of randomly drawn games that were replayed by their rules and dice.
    """

    pairs: int = 0
    units: str = "pairs"
    new: list[int] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    compared: int = 0


def merge(stores: Sequence[Path], output: Path | None = None, *, salvage: bool = False) -> Merged:
    """Copies all pairs of the stores into `output`, which must not exist, or by default into the first store.

    With `salvage`, which needs an `output`, damaged parts are left out. Raises StarspielError and writes
    nothing if the stores are not of one tournament, are damaged, or contain the same pair with different
    results, or if a game that is replayed differs from the record.
    """
    _check_paths(stores, output, salvage)
    merged = Merged()
    with ExitStack() as stack:
        sources = [stack.enter_context(_opened(path, salvage, merged)) for path in stores]
        tournaments = [_tournaments(source) for source in sources]
        for path, its in zip(stores[1:], tournaments[1:], strict=True):
            _check_same_tournament(stores[0], tournaments[0], path, its)
        copied = list(zip(stores, sources, strict=True))
        if output is None:
            sources[0].close()  # because it is now opened for writing
            into = stack.enter_context(Store(stores[0]))
            merged.new.append(into.count())
            copied = copied[1:]
        else:
            into = stack.enter_context(_made_aside(output))
        with into.transaction() as db:
            for path, source in copied:
                _copy(source, db, path)
                merged.new.append(into.count() - sum(merged.new))
        merged.pairs, merged.units = into.count(), into.units()
    return merged


def _check_paths(stores: Sequence[Path], output: Path | None, salvage: bool) -> None:
    for place, path in enumerate(stores):
        if not path.exists():
            raise StarspielError(f"there is no store {path}.")
        if any(path.samefile(other) for other in stores[:place]):
            raise StarspielError(f"{path} is the same store as one before it; name different stores.")
    if output is None:
        if len(stores) < 2:
            raise StarspielError("expected two stores, or one and --output for its copy.")
        if salvage:
            raise StarspielError(
                "--salvage needs --output: nothing is written into a store that may be damaged."
            )
    elif output.exists() or output.is_symlink():
        raise StarspielError(f"{output} already exists; name a new file.")
    elif not output.parent.is_dir():
        raise StarspielError(f"there is no folder {output.parent} for the store {output}.")


@contextmanager
def _opened(path: Path, salvage: bool, merged: Merged) -> Iterator[Store]:
    """A context with a store to copy from: its sound parts (`salvage`), or all of it after some checks."""
    with ExitStack() as stack:
        if salvage:
            store, skipped = stack.enter_context(salvaged(path))
            merged.skipped += skipped
        else:
            store = stack.enter_context(Store(path, read_only=True))
            store.check()
            merged.compared += check_sample(store)
        yield store


@contextmanager
def _made_aside(output: Path) -> Iterator[Store]:
    """A context with a new store, which gets its name when it is complete and is removed after a failure."""
    try:
        with beside(output, replace=False) as aside, Store(aside) as store:
            yield store
    except FileExistsError:
        raise StarspielError(
            f"{output} has meanwhile been created by another process; nothing was written to it."
        ) from None
    except OSError as error:
        raise unwritable("the store", output, error) from None


def _tournaments(store: Store) -> list[dict[str, Any]]:
    """Returns the settings and versions that determine the games of each run."""
    found = []
    for run in store.runs():
        with suppress(AttributeError):  # the configuration is not a dictionary
            said = run["config"]
            found.append(
                {name: said.get(name) for name in _SETTINGS} | {name: run.get(name) for name in versions()}
            )
    return found


def _check_same_tournament(
    first: Path, ours: list[dict[str, Any]], other: Path, theirs: list[dict[str, Any]]
) -> None:
    """Raises StarspielError unless one store contains all tournaments of the other."""
    if all(each in theirs for each in ours) or all(each in ours for each in theirs):
        return
    mine, its = ours[-1], next(each for each in reversed(theirs) if each not in ours)
    differing = next((name for name in mine if mine[name] != its[name]), "game")
    raise StarspielError(
        f"{first} and {other} are not of the same tournament: {differing} "
        f"is {printable(shown(mine[differing]))} in the one, {printable(shown(its[differing]))} in the "
        "other. Only stores with the same game, seed, agents, settings and versions can be merged."
    )


def _copy(source: Store, db: sqlite3.Connection, path: Path) -> None:
    """Copies the rows that are new. Raises StarspielError if a pair exists with different results."""
    result_of = f"SELECT {', '.join(_RESULT)} FROM games WHERE id = ?"
    games = "SELECT games.id, pair, number, seat0, seat1 FROM games JOIN pairs ON pairs.id = pair"
    for game, pair, number, seat_0, seat_1 in source.connection.execute(games):
        result = source.connection.execute(result_of, (game,)).fetchone()
        found = db.execute(result_of, (game,)).fetchone()
        if found is not None and found != result:
            agents = " against ".join(printable(name) for name in (seat_0, seat_1) if name is not None)
            raise StarspielError(
                f"{path} has pair {pair} (number {number}, {agents}) with other results than the stores "
                "before it. A pair has the same result wherever it is played, unless agents are limited by "
                "seconds or depend on more than their seeds: such stores cannot be merged. Nothing was "
                "written."
            )
    for table, declared in TABLES.items():
        if table == "attempts":
            if not has_table(source.connection, table):
                continue
            db.execute(ATTEMPTS)
        known = "DO UPDATE SET stored = max(stored, excluded.stored)" if table == "attempts" else "DO NOTHING"
        db.executemany(
            f"INSERT INTO {table} VALUES ({', '.join('?' * len(declared))}) ON CONFLICT {known}",
            source.connection.execute(f"SELECT {', '.join(declared)} FROM {table}"),
        )
