"""The tables of a store; what each holds is declared here, and everybody reads it by these names."""

import re
import sqlite3
from collections.abc import Iterable
from functools import cache
from typing import Any, get_type_hints

from starspiel.evaluation.play.record import Cost, Facts

#: "STSP": says that a SQLite file is a store; the version is that of the tables below.
APPLICATION = 0x53545350
VERSION = 6
#: The version that had no checksums: it can be read, and copied by a merge.
UNCHECKED = 5

_KINDS = {int: "INTEGER", float: "REAL"}
#: The columns of each seat's `Cost`.
COSTS = tuple(tuple(f"{name}{seat}" for name in Cost._fields) for seat in (0, 1))
#: What each game's row holds, by column.
GAMES = {
    "id": "TEXT PRIMARY KEY",
    "pair": "TEXT NOT NULL REFERENCES pairs",
    "context": "TEXT NOT NULL",
    "seat0": "TEXT NOT NULL",
    "seat1": "TEXT",
    "return0": "REAL NOT NULL",
    "return1": "REAL",
    **{name: f"{_KINDS[kind]} NOT NULL" for name, kind in get_type_hints(Facts).items()},
    **{f"{name}{seat}": _KINDS[kind] for seat in (0, 1) for name, kind in get_type_hints(Cost).items()},
    "fault_seat": "INTEGER",
    "fault_kind": "TEXT",
    "fault_message": "TEXT",
    "fault_limit": "REAL",
}


def _declared(columns: dict[str, str]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


PAIRS = {
    "id": "TEXT PRIMARY KEY",
    "context": "TEXT NOT NULL",
    "game": "TEXT NOT NULL",
    "seed": "INTEGER NOT NULL",
    "number": "INTEGER NOT NULL",
    "start": "TEXT NOT NULL",
    "voided": "TEXT NOT NULL",
    "checksum": "TEXT NOT NULL",
}
_RECORDS = {"game": "TEXT PRIMARY KEY REFERENCES games", "moves": "TEXT NOT NULL"}
_KINDS_READ = {"TEXT": str, "INTEGER": int, "REAL": float}
#: What a column's values are when they are read, by the column's name.
KINDS = {name: _KINDS_READ[declared.split()[0]] for name, declared in (_RECORDS | PAIRS | GAMES).items()}


def _tables(version: int) -> str:
    """The statements that make the tables of a version."""
    own = ("checksum TEXT NOT NULL",) if version != UNCHECKED else ()
    pairs = {name: kind for name, kind in PAIRS.items() if name != "checksum" or own}
    runs = ", ".join(["id TEXT PRIMARY KEY", "config TEXT NOT NULL", "environment TEXT NOT NULL", *own])
    luck = ", ".join(["game TEXT", "evaluator TEXT", "value REAL", *own, "PRIMARY KEY (game, evaluator)"])
    return f"""
CREATE TABLE runs ({runs});
CREATE TABLE pairs ({_declared(pairs)});
CREATE TABLE games ({_declared(GAMES)});
CREATE TABLE records ({_declared(_RECORDS)});
CREATE TABLE luck ({luck}) WITHOUT ROWID;
CREATE INDEX games_by_context ON games (context);
"""


#: The attempts at pairs whose dice somebody may remember: which number, what its dice are known by (see
#: `Job.seen_as`), and whether the stored games are of it. It is made when the first is begun.
ATTEMPTS = """CREATE TABLE IF NOT EXISTS attempts (pair TEXT, number INTEGER, dice TEXT, stored INTEGER,
    PRIMARY KEY (pair, number)) WITHOUT ROWID;"""

#: Makes an empty database a store.
SCRIPT = (
    f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
    f"{_tables(VERSION)} COMMIT;"
)

_LISTED = "SELECT type, name, tbl_name, sql FROM sqlite_master"


@cache
def _made_by(statements: str) -> frozenset[tuple[str, ...]]:
    db = sqlite3.connect(":memory:")
    try:
        db.executescript(statements)
        return frozenset(map(_plain, db.execute(_LISTED)))
    finally:
        db.close()


def foreign_parts(db: sqlite3.Connection, version: int) -> list[str]:
    """What a database has beside the tables of a version, or in their place, as "the trigger t on games".

    Triggers, views and computed columns can change the values that are written or read. What is missing is
    named if there is nothing else.
    """
    found, expected = frozenset(map(_plain, db.execute(_LISTED))), _made_by(_tables(version))
    differing = sorted(found - expected - _made_by(ATTEMPTS)) or sorted(expected - found)
    return [
        f"the {kind} {name}" + (f" on {table}" if table != name else "") for kind, name, table, _ in differing
    ]


def _plain(row: Iterable[Any]) -> tuple[str, ...]:
    """The row, however its statement was spaced."""
    return tuple([re.sub(r"\s+", " ", str(each)).replace("( ", "(").replace(" )", ")") for each in row])
