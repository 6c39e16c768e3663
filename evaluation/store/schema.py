"""The tables of a store."""

#: "STSP": says that a SQLite file is a store; the version is that of the tables below.
APPLICATION = 0x53545350
VERSION = 4

_TABLES = """
CREATE TABLE runs (id TEXT PRIMARY KEY, config TEXT NOT NULL, environment TEXT NOT NULL);
CREATE TABLE pairs (
    id TEXT PRIMARY KEY, context TEXT NOT NULL, game TEXT NOT NULL, seed INTEGER NOT NULL,
    number INTEGER NOT NULL, start TEXT NOT NULL, voided TEXT NOT NULL);
CREATE TABLE games (
    id TEXT PRIMARY KEY, pair TEXT NOT NULL REFERENCES pairs, context TEXT NOT NULL,
    seat0 TEXT NOT NULL, seat1 TEXT, return0 REAL NOT NULL, return1 REAL, length INTEGER NOT NULL,
    moves0 INTEGER, seconds0 REAL, told0 INTEGER, nodes0 INTEGER, overruns0 INTEGER,
    wall_overruns0 INTEGER,
    moves1 INTEGER, seconds1 REAL, told1 INTEGER, nodes1 INTEGER, overruns1 INTEGER,
    wall_overruns1 INTEGER,
    fault_seat INTEGER, fault_kind TEXT, fault_message TEXT, fault_limit REAL);
CREATE TABLE records (game TEXT PRIMARY KEY REFERENCES games, moves TEXT NOT NULL);
CREATE TABLE luck (game TEXT, evaluator TEXT, value REAL, PRIMARY KEY (game, evaluator)) WITHOUT ROWID;
CREATE INDEX games_by_context ON games (context);
"""

#: Makes an empty database a store.
SCRIPT = f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {_TABLES} COMMIT;"
