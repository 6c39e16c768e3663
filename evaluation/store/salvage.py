"""Copies the sound parts of a damaged store to a temporary store."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.store.checksums import checked, raw_pairs
from starspiel.evaluation.store.file import HEADER_BYTES, check_version, connected, has_log
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.tables import APPLICATION, ATTEMPTS, KEYS, TABLES, has_table, insert

#: The beginning of every SQLite file.
_SQLITE = b"SQLite format 3"
#: If more than this multiple of the file's size appears to be missing, its header must be damaged, too.
_MOST_MISSING = 1000
#: The minimum size of a game in bytes, including its moves and its share of its pair.
_LEAST_BYTES = 200


@contextmanager
def salvaged(path: Path) -> Iterator[tuple[Store, list[str]]]:
    """A context with a temporary copy of the sound parts of a store, and descriptions of what was left out.

    Raises StarspielError if nothing is sound.
    """
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if not header.startswith(_SQLITE) or int.from_bytes(header[68:72]) != APPLICATION:
        raise StarspielError(f"{path} is not a store of starspiel.")
    check_version(path, int.from_bytes(header[60:64]))
    with TemporaryDirectory(prefix="starspiel-") as folder:
        copy = Path(folder) / "salvaged.db"
        with Store(copy) as store, store.transaction() as db:
            try:
                skipped = _copy(_with_all_its_pages(path, header, Path(folder)), db)
            except sqlite3.DatabaseError as error:
                raise StarspielError(f"nothing can be saved from {path}: {error}.") from None
            skipped += _drop_unsound(db)
            if skipped and not db.execute("SELECT 1 FROM pairs").fetchone():
                raise StarspielError(f"nothing can be saved from {path}: none of its pairs is sound.")
        with Store(copy, read_only=True) as store:
            store.path = path
            yield store, skipped


def _with_all_its_pages(path: Path, header: bytes, folder: Path) -> Path:
    """Returns the file, or, if its end is missing, which SQLite refuses, a copy padded with empty pages."""
    # By SQLite's file format: the size of a page (1 means 65,536), and the number of pages.
    page, pages = int.from_bytes(header[16:18]), int.from_bytes(header[28:32])
    size = path.stat().st_size
    missing = (65_536 if page == 1 else page) * pages - size
    if has_log(path) or not 0 < missing < _MOST_MISSING * size:
        return path
    whole = folder / "whole.db"
    shutil.copyfile(path, whole)
    os.truncate(whole, size + missing)
    return whole


def _copy(path: Path, db: sqlite3.Connection) -> list[str]:
    """Copies the rows that can be read; of runs and luck, only those that match their checksums."""
    skipped: list[str] = []
    source = connected(path, read_only=True)
    source.text_factory = bytes.decode  # raises UnicodeDecodeError for damaged text
    db.execute(ATTEMPTS)
    try:
        for table, declared in TABLES.items():
            for row in _readable(source, table, list(declared), skipped):
                held = dict(zip(declared, row, strict=True))
                if table in ("runs", "luck"):
                    digest = held.pop("checksum")
                    held = checked(**held)
                    if held["checksum"] != digest:
                        skipped.append(f"a line of {table}")
                        continue
                with suppress(sqlite3.IntegrityError):  # the row has no key
                    insert(db, table, held)
    finally:
        source.close()
    return skipped


def _readable(
    db: sqlite3.Connection, table: str, names: list[str], skipped: list[str]
) -> Iterator[tuple[Any, ...]]:
    """Yields the rows of a table that can be read; after a broken page, it tries every rowid, one by one."""
    query = f"SELECT {', '.join(names)} FROM {table}"
    last = 0
    try:
        if table not in KEYS:
            for rowid, *row in db.execute(query.replace("SELECT", "SELECT rowid,")):
                last = rowid
                yield tuple(row)
        elif table != "attempts" or has_table(db, table):
            yield from db.execute(query)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        skipped.append(f"what cannot be read of {table} ({error})")
        if table in KEYS:
            return
        with suppress(sqlite3.DatabaseError):
            pages, size = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
            for rowid in range(last + 1, pages * size // _LEAST_BYTES):
                with suppress(sqlite3.DatabaseError, UnicodeDecodeError):
                    yield from db.execute(f"{query} WHERE rowid = ?", (rowid,)).fetchall()


def _drop_unsound(db: sqlite3.Connection) -> list[str]:
    """Deletes the pairs that are not sound, with their games, records and luck; returns descriptions."""
    unsound = {pair.id.decode(): f"pair {pair}" for pair in raw_pairs(db) if pair.wrong}
    db.executemany("DELETE FROM games WHERE pair = ?", [(identity,) for identity in unsound])
    db.execute("DELETE FROM pairs WHERE id NOT IN (SELECT pair FROM games)")
    for table in ("records", "luck"):
        db.execute(f"DELETE FROM {table} WHERE game NOT IN (SELECT id FROM games)")
    return list(unsound.values())
