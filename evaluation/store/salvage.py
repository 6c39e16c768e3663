"""What is sound in a damaged store, as a store of its own, which lies in a temporary folder."""

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
from starspiel.evaluation.store.file import HEADER_BYTES, connected, has_checksums, has_log
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.tables import APPLICATION, ATTEMPTS, KEYS, TABLES, columns, has_table, insert

#: What the file of a database begins with.
_SQLITE = b"SQLite format 3"
#: How many times what is left of a file may be missing of it; more than that, its header is damaged, too.
_MOST_MISSING = 1000
#: No game takes fewer bytes, with its moves and its share of its pair.
_LEAST_BYTES = 200


@contextmanager
def salvaged(path: Path) -> Iterator[tuple[Store, list[str]]]:
    """A copy of what is sound in a store, for as long as it is looked at, and what was left out, in words.

    Raises StarspielError if nothing is.
    """
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if not header.startswith(_SQLITE) or int.from_bytes(header[68:72]) != APPLICATION:
        raise StarspielError(f"{path} is not a store of starspiel.")
    is_checked = has_checksums(path, int.from_bytes(header[60:64]))
    with TemporaryDirectory(prefix="starspiel-") as folder:
        copy = Path(folder) / "salvaged.db"
        with Store(copy) as store, store.transaction() as db:
            try:
                skipped = _copy(_with_all_its_pages(path, header, Path(folder)), db, is_checked)
            except sqlite3.DatabaseError as error:
                raise StarspielError(f"nothing can be saved of {path}: {error}.") from None
            skipped += _drop_unsound(db, is_checked)
            if skipped and not db.execute("SELECT 1 FROM pairs").fetchone():
                raise StarspielError(f"nothing can be saved of {path}: no pair of it is sound.")
        with Store(copy, read_only=True) as store:
            store.path = path
            yield store, skipped


def _with_all_its_pages(path: Path, header: bytes, folder: Path) -> Path:
    """The file; if its end is missing, which SQLite refuses, a copy with empty pages in its place."""
    # As SQLite's file format has it: the size of a page, 1 for 65,536, and how many there are.
    page, pages = int.from_bytes(header[16:18]), int.from_bytes(header[28:32])
    size = path.stat().st_size
    missing = (65_536 if page == 1 else page) * pages - size
    if has_log(path) or not 0 < missing < _MOST_MISSING * size:
        return path
    whole = folder / "whole.db"
    shutil.copyfile(path, whole)
    os.truncate(whole, size + missing)
    return whole


def _copy(path: Path, db: sqlite3.Connection, is_checked: bool) -> list[str]:
    """Copies the rows that can be read, of runs and luck those that match their checksums."""
    skipped: list[str] = []
    source = connected(path, read_only=True)
    source.text_factory = bytes.decode  # an error if it cannot be
    db.execute(ATTEMPTS)
    try:
        for table, declared in TABLES.items():
            names = columns(table)
            is_sealed = is_checked and "checksum" in declared
            for row in _readable(source, table, [*names, "checksum"] if is_sealed else names, skipped):
                held = dict(zip(names, row, strict=False))
                if table in ("runs", "luck"):
                    held = checked(**held)
                    if is_checked and held["checksum"] != row[-1]:
                        skipped.append(f"a line of {table}")
                        continue
                elif table == "pairs":
                    held["checksum"] = row[-1] if is_checked else ""
                with suppress(sqlite3.IntegrityError):  # without a key
                    insert(db, table, held)
    finally:
        source.close()
    return skipped


def _readable(
    db: sqlite3.Connection, table: str, names: list[str], skipped: list[str]
) -> Iterator[tuple[Any, ...]]:
    """The rows of a table that can be read: one by one, and by no index, beyond a broken page."""
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


def _drop_unsound(db: sqlite3.Connection, is_checked: bool) -> list[str]:
    """Drops the pairs that are not sound, with all of theirs, and gives checksums to those without."""
    found = [
        (pair.id.decode(), pair.wrong, str(pair), pair.digest())
        for pair in raw_pairs(db, has_checksums=is_checked)
    ]
    for identity, wrong, _, digest in found:
        if wrong:
            db.execute("DELETE FROM games WHERE pair = ?", (identity,))
        elif not is_checked:
            db.execute("UPDATE pairs SET checksum = ? WHERE id = ?", (digest, identity))
    db.execute("DELETE FROM pairs WHERE id NOT IN (SELECT pair FROM games)")
    for table in ("records", "luck"):
        db.execute(f"DELETE FROM {table} WHERE game NOT IN (SELECT id FROM games)")
    return [f"pair {pair}" for _, wrong, pair, _ in found if wrong]
