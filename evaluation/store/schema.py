"""The tables of a store; what each holds is declared here, and everybody reads it by these names."""

from typing import get_type_hints

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

_TABLES = f"""
CREATE TABLE runs (id TEXT PRIMARY KEY, config TEXT NOT NULL, environment TEXT NOT NULL,
    checksum TEXT NOT NULL);
CREATE TABLE pairs ({_declared(PAIRS)});
CREATE TABLE games ({_declared(GAMES)});
CREATE TABLE records ({_declared(_RECORDS)});
CREATE TABLE luck (game TEXT, evaluator TEXT, value REAL, checksum TEXT NOT NULL,
    PRIMARY KEY (game, evaluator)) WITHOUT ROWID;
CREATE INDEX games_by_context ON games (context);
"""

#: Makes an empty database a store.
SCRIPT = f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {_TABLES} COMMIT;"
