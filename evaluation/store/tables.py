"""Declares the tables of a store once; statements, rows, checksums and merges are derived from them."""

import re
import sqlite3
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, get_type_hints

from starspiel.evaluation.play.record import Cost, Facts

#: "STSP", which marks an SQLite file as a store, and the version of the tables below.
APPLICATION = 0x53545350
VERSION = 6

_KINDS = {int: "INTEGER", float: "REAL"}
#: The seats that have columns in the table of games; further seats are in the `moves` of the records.
COLUMN_SEATS = (0, 1)
#: The columns of each seat's `Cost`.
COSTS = tuple(tuple(f"{name}{seat}" for name in Cost._fields) for seat in COLUMN_SEATS)
#: Table -> column -> declaration. A checksum covers the columns before it; that of a pair also covers its
#: games and their moves.
TABLES: Mapping[str, Mapping[str, str]] = {
    "runs": {
        "id": "TEXT PRIMARY KEY",
        "config": "TEXT NOT NULL",
        "environment": "TEXT NOT NULL",
        "checksum": "TEXT NOT NULL",
    },
    "pairs": {
        "id": "TEXT PRIMARY KEY",
        "context": "TEXT NOT NULL",
        "game": "TEXT NOT NULL",
        "seed": "INTEGER NOT NULL",
        "number": "INTEGER NOT NULL",
        "start": "TEXT NOT NULL",
        "voided": "TEXT NOT NULL",
        "checksum": "TEXT NOT NULL",
    },
    "games": {
        "id": "TEXT PRIMARY KEY",
        "pair": "TEXT NOT NULL REFERENCES pairs",
        "context": "TEXT NOT NULL",
        "seat0": "TEXT NOT NULL",
        "seat1": "TEXT",
        "return0": "REAL NOT NULL",
        "return1": "REAL",
        **{name: f"{_KINDS[kind]} NOT NULL" for name, kind in get_type_hints(Facts).items()},
        **{
            f"{name}{seat}": _KINDS[kind]
            for seat in COLUMN_SEATS
            for name, kind in get_type_hints(Cost).items()
        },
        "fault_seat": "INTEGER",
        "fault_kind": "TEXT",
        "fault_message": "TEXT",
        "fault_limit": "REAL",
    },
    "records": {"game": "TEXT PRIMARY KEY REFERENCES games", "moves": "TEXT NOT NULL"},
    "luck": {"game": "TEXT", "evaluator": "TEXT", "value": "REAL", "checksum": "TEXT NOT NULL"},
    # Attempts at pairs whose dice an external agent may remember: `dice` is `Job.seen_as`, and `stored` says
    # whether the stored games belong to the attempt. The table is created when the first attempt begins.
    "attempts": {"pair": "TEXT", "number": "INTEGER", "dice": "TEXT", "stored": "INTEGER"},
}
#: Table -> its primary key, for the tables without rowids.
KEYS = {"luck": "game, evaluator", "attempts": "pair, number"}


def columns(table: str) -> list[str]:
    """Returns the names of a table's columns, except the checksum."""
    return [name for name in TABLES[table] if name != "checksum"]


def _created(table: str) -> str:
    parts = [f"{name} {kind}" for name, kind in TABLES[table].items()]
    if key := KEYS.get(table):
        parts.append(f"PRIMARY KEY ({key})")
    return f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(parts)}){' WITHOUT ROWID' if key else ''};"


#: Creates the table of attempts.
ATTEMPTS = _created("attempts")
_TABLES = " ".join(
    [
        *(_created(table) for table in TABLES if table != "attempts"),
        "CREATE INDEX games_by_context ON games (context);",
    ]
)
#: Turns an empty database into a store.
SCRIPT = f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {_TABLES} COMMIT;"


def insert(db: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    """Inserts a row given as column -> value; replaces one with the same key."""
    db.execute(
        f"INSERT OR REPLACE INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
        tuple(row.values()),
    )


def has_table(db: sqlite3.Connection, table: str) -> bool:
    """Returns whether a database has this table."""
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone() is not None


_LISTED = "SELECT type, name, tbl_name, sql FROM sqlite_master"


@cache
def _made_by(statements: str) -> frozenset[tuple[str, ...]]:
    db = sqlite3.connect(":memory:")
    try:
        db.executescript(statements)
        return frozenset(map(_plain, db.execute(_LISTED)))
    finally:
        db.close()


def foreign_parts(db: sqlite3.Connection) -> list[str]:
    """Returns what a database has besides or instead of a store's tables, such as "the trigger t on games".

    Triggers, views and computed columns can change the values that are written or read. If there is nothing
    else, it returns what is missing.
    """
    found, expected = frozenset(map(_plain, db.execute(_LISTED))), _made_by(_TABLES)
    differing = sorted(found - expected - _made_by(ATTEMPTS)) or sorted(expected - found)
    return [
        f"the {kind} {name}" + (f" on {table}" if table != name else "") for kind, name, table, _ in differing
    ]


def _plain(row: Iterable[Any]) -> tuple[str, ...]:
    """Returns the row with the spacing of its statement normalised."""
    return tuple([re.sub(r"\s+", " ", str(each)).replace("( ", "(").replace(" )", ")") for each in row])
