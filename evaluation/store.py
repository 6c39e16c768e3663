"""Every game on file: a SQLite store that a tournament resumes from, extends and exports.

A pair's id is a hash of what determines it: versions, game, seed, agents, number and start position. Running
a command again therefore plays only what is missing, and `kill -9` loses the pairs in flight and no others.
"""

import fcntl
import json
import os
import sqlite3
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from math import factorial, isnan, nan
from operator import itemgetter
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from starspiel.envs.errors import StarspielError, did_you_mean
from starspiel.evaluation.dice import content_key
from starspiel.evaluation.environment import environment, versions
from starspiel.evaluation.luck import game_luck
from starspiel.evaluation.match import Cost, Fault, GameRecord, Job, Moves, Outcome, PairRecord
from starspiel.evaluation.pairing import Pair

#: "STSP": says that a SQLite file is a store; the version is that of the tables below.
_APPLICATION = 0x53545350
_VERSION = 1
#: Seconds between commits while games are quicker than that.
_COMMIT_SECONDS = 0.2
#: What SQLite writes at the start of a file.
_HEADER_BYTES = 100

_TABLES = """
CREATE TABLE runs (id TEXT PRIMARY KEY, config TEXT NOT NULL, environment TEXT NOT NULL);
CREATE TABLE pairs (
    id TEXT PRIMARY KEY, context TEXT NOT NULL, game TEXT NOT NULL, seed INTEGER NOT NULL,
    number INTEGER NOT NULL, start TEXT NOT NULL, voided TEXT NOT NULL);
CREATE TABLE games (
    id TEXT PRIMARY KEY, pair TEXT NOT NULL REFERENCES pairs, context TEXT NOT NULL,
    seat0 TEXT NOT NULL, seat1 TEXT, return0 REAL NOT NULL, return1 REAL, length INTEGER NOT NULL,
    moves0 INTEGER, seconds0 REAL, told0 INTEGER, nodes0 INTEGER, overruns0 INTEGER,
    moves1 INTEGER, seconds1 REAL, told1 INTEGER, nodes1 INTEGER, overruns1 INTEGER,
    fault_seat INTEGER, fault_kind TEXT, fault_message TEXT);
CREATE TABLE records (game TEXT PRIMARY KEY REFERENCES games, moves BLOB NOT NULL);
CREATE TABLE luck (game TEXT, evaluator TEXT, value REAL, PRIMARY KEY (game, evaluator)) WITHOUT ROWID;
CREATE INDEX games_by_context ON games (context);
"""
_GAME = (
    "pair, id, seat0, seat1, return0, return1, length, moves0, seconds0, told0, nodes0, overruns0, "
    "moves1, seconds1, told1, nodes1, overruns1, fault_seat, fault_kind, fault_message"
)


@dataclass(frozen=True)
class StoredGame:
    """A game as it lies in a store; `agents` of the record are 0 and 1, their names in `names`."""

    id: str
    game: str
    seed: int
    number: int
    start: tuple[int, ...]
    names: tuple[str, ...]
    record: GameRecord


class Store:
    """A store opened for playing (one process at a time) or, with `read_only`, for looking (any number).

    Raises StarspielError where the file is no store, damaged, of another version, or in use.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._db: sqlite3.Connection | None = None
        self._lock: int | None = None
        self._new = False
        self._last_commit = monotonic()
        if read_only and not self.path.exists():
            raise StarspielError(f"there is no store {self.path}.")
        if not read_only:
            self._take()
        try:
            with self._explained():
                self._open(read_only)
        except StarspielError:
            self.close()
            raise

    def _take(self) -> None:
        try:
            try:
                self._lock = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
                self._new = True
            except FileExistsError:
                self._lock = os.open(self.path, os.O_RDWR)
        except OSError as error:
            raise StarspielError(f"cannot write the store {self.path}: {error.strerror}.") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise StarspielError(
                f"the store {self.path} is in use by another tournament; wait for it, or use another file."
            ) from None

    def _open(self, read_only: bool) -> None:
        if not self._new and self.path.stat().st_size < _HEADER_BYTES:
            raise StarspielError(
                f"{self.path} is not a store of starspiel: it is empty or cut off. Remove it to begin "
                "a new one."
            )
        self._db = sqlite3.connect(self.path, isolation_level=None, timeout=30.0)
        # Before the first page is read: SQLite would put a log of unfinished writes away.
        log = self.path.with_name(self.path.name + "-wal")
        logged = log.exists() and log.stat().st_size > 0
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application == 0 and tables == 0 and not read_only:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.executescript(
                f"BEGIN; PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_VERSION};"
                f"{_TABLES} COMMIT;"
            )
        elif application != _APPLICATION:
            raise StarspielError(f"{self.path} is not a store of starspiel.")
        elif version != _VERSION:
            raise StarspielError(
                f"the store {self.path} has version {version}, this starspiel reads version {_VERSION}; use "
                "another file, or the starspiel that wrote it."
            )
        elif not self._whole(logged, read_only):
            raise StarspielError(
                f"the store {self.path} is damaged: it is cut off, or pages of it are broken. Nothing was "
                "written to it; use a copy or another file."
            )
        self._db.execute("PRAGMA synchronous = NORMAL")
        if read_only:
            self._db.execute("PRAGMA query_only = 1")

    def _whole(self, logged: bool, read_only: bool) -> bool:
        """Whether the file has all its pages; pages may also be in the log that a killed process left."""
        if not logged:
            pages, size = (self._pragma(name) for name in ("page_count", "page_size"))
            return self.path.stat().st_size >= int(pages) * int(size)
        return read_only or str(self._pragma("quick_check(1)")) == "ok"

    def _pragma(self, name: str) -> Any:
        return self._connection.execute(f"PRAGMA {name}").fetchone()[0]

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                raise StarspielError(
                    f"no space is left for the store {self.path}. What it holds is kept: make room, and run "
                    "the same command again to go on."
                ) from None
            raise StarspielError(f"the store {self.path} cannot be used: {error}.") from None
        except (sqlite3.DatabaseError, msgspec.MsgspecError, json.JSONDecodeError) as error:
            raise StarspielError(
                f"{self.path} is not a store of starspiel, or is damaged: {error}."
            ) from None

    @property
    def _connection(self) -> sqlite3.Connection:
        assert self._db is not None
        return self._db

    def close(self) -> None:
        """Commits and closes."""
        try:
            if self._db is not None:
                with self._explained():
                    self._commit()
                self._db.close()
                self._db = None
        finally:
            # Not before the database is closed: closing any descriptor of the file drops SQLite's own locks.
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_run(self, config: dict[str, Any]) -> str:
        """Notes a run: its configuration, and where it is played. Returns its id."""
        about = environment()
        run = content_key(json.dumps(config), json.dumps(about), os.getpid())
        with self._explained():
            self._connection.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", (run, json.dumps(config), json.dumps(about))
            )
        return run

    def runs(self) -> list[dict[str, Any]]:
        """Every run's configuration and environment."""
        with self._explained():
            rows = self._connection.execute(
                "SELECT id, config, environment FROM runs ORDER BY rowid"
            ).fetchall()
        return [{"id": run, "config": json.loads(config), **json.loads(about)} for run, config, about in rows]

    def save(self, job: Job, record: PairRecord) -> None:
        """Stores a finished pair."""
        names = [entrant.name for entrant in job.field]
        pair = pair_id(job, record.pair)
        start = json.dumps(job.starts[record.pair.start])
        voided = json.dumps([[names[agent], fault.kind, fault.message] for agent, fault in record.voided])
        with self._explained():
            db = self._connection
            if not db.in_transaction:
                db.execute("BEGIN IMMEDIATE")
            db.execute("SAVEPOINT pair")
            try:
                db.execute(
                    "INSERT OR REPLACE INTO pairs VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (pair, context_id(job), job.game.name, job.seed, record.pair.number, start, voided),
                )
                for game in record.games:
                    self._save_game(job, pair, game, [names[agent] for agent in game.agents])
                db.execute("RELEASE pair")
            except BaseException:  # Ctrl-C as well: a pair is stored whole or not at all.
                if db.in_transaction:
                    db.execute("ROLLBACK TO pair")
                raise
            if monotonic() - self._last_commit > _COMMIT_SECONDS:
                self._commit()

    def _save_game(self, job: Job, pair: str, game: GameRecord, names: list[str]) -> None:
        seats = [*names, None][:2]
        returns = [*game.returns, None][:2]
        costs = [*(value for moves in game.moves for value in moves.cost), *([None] * 5)][:10]
        fault = (None,) * 3 if game.fault is None else (game.fault.seat, game.fault.kind, game.fault.message)
        identity = content_key(pair, *names)
        self._connection.execute(
            f"INSERT OR REPLACE INTO games (context, {_GAME}) VALUES ({', '.join('?' * 21)})",
            (context_id(job), pair, identity, *seats, *returns, len(game.actions), *costs, *fault),
        )
        self._connection.execute("INSERT OR REPLACE INTO records VALUES (?, ?)", (identity, _packed(game)))
        if job.luck_identity is not None and not isnan(game.luck):
            self._save_luck(identity, job.luck_identity, game.luck)

    def _save_luck(self, identity: str, evaluator: str, value: float) -> None:
        self._connection.execute("INSERT OR REPLACE INTO luck VALUES (?, ?, ?)", (identity, evaluator, value))

    def _commit(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")
        self._last_commit = monotonic()

    def finished(self, job: Job, schedule: Sequence[Pair]) -> Iterator[tuple[Pair, list[Outcome], list[int]]]:
        """(pair, outcomes, agents at fault in a void attempt) of every scheduled pair that is stored.

        Luck that is not on file for the job's evaluator is measured from the stored moves, and stored.
        """
        context = context_id(job)
        wanted = {pair_id(job, pair, context): pair for pair in schedule}
        index = {entrant.name: number for number, entrant in enumerate(job.field)}
        with self._explained():
            db = self._connection
            voided = {
                pair: [index[name] for name, _, _ in json.loads(text)]
                for pair, text in db.execute(
                    "SELECT id, voided FROM pairs WHERE context = ? AND voided != '[]'", (context,)
                )
                if pair in wanted
            }
            luck: dict[str, float] = {}
            if job.luck is not None:
                luck = dict(
                    db.execute("SELECT game, value FROM luck WHERE evaluator = ?", (job.luck_identity,))
                )
            rows = db.execute(f"SELECT {_GAME} FROM games WHERE context = ? ORDER BY rowid", (context,))
            # Pairs with too few games are played again; the games of the others are stored together.
            whole = self._whole_pairs(context, wanted)
            for identity, games in groupby(rows, key=itemgetter(0)):
                pair = wanted.get(identity)
                if pair is None or identity not in whole:
                    continue
                outcomes = []
                for row in games:
                    value = luck.get(row[1], nan)
                    if job.luck is not None and isnan(value) and row[17] is None:
                        value = self._measured_luck(job, row[1], pair)
                    outcomes.append(_outcome(row, index, value))
                # In the order of the pair's seatings, which follow the order of today's field.
                if outcomes[0].agents[0] != pair.agents[0]:
                    outcomes.reverse()
                yield pair, outcomes, voided.get(identity, [])
            self._commit()

    def stored(self, job: Job, schedule: Sequence[Pair]) -> set[Pair]:
        """The scheduled pairs that are stored; writes nothing."""
        context = context_id(job)
        wanted = {pair_id(job, pair, context): pair for pair in schedule}
        with self._explained():
            return {wanted[identity] for identity in self._whole_pairs(context, wanted)}

    def _whole_pairs(self, context: str, wanted: Mapping[str, Pair]) -> set[str]:
        rows = self._connection.execute(
            "SELECT pair, count(*) FROM games WHERE context = ? GROUP BY pair", (context,)
        )
        return {
            identity
            for identity, games in rows
            if identity in wanted and games == factorial(len(wanted[identity].agents))
        }

    def _measured_luck(self, job: Job, identity: str, pair: Pair) -> float:
        assert job.luck is not None
        assert job.luck_identity is not None
        packed = self._connection.execute("SELECT moves FROM records WHERE game = ?", (identity,)).fetchone()[
            0
        ]
        actions = _Moves.decode(packed).actions
        value = game_luck(job.game, actions, job.luck, skip=len(job.starts[pair.start]))
        self._save_luck(identity, job.luck_identity, value)
        return value

    def games(self) -> Iterator[StoredGame]:
        """Every game, in the order they were stored."""
        with self._explained():
            yield from map(_stored, self._connection.execute(f"{_SELECT} ORDER BY games.rowid"))

    def game(self, identity: str) -> StoredGame:
        """The game with this id, or with the only id that begins so."""
        with self._explained():
            rows = self._connection.execute(
                f"{_SELECT} WHERE games.id >= ? AND games.id < ? LIMIT 2", (identity, identity + "g")
            ).fetchall()
            known = [row[0] for row in self._connection.execute("SELECT id FROM games LIMIT 20")]
        if len(rows) == 1:
            return _stored(rows[0])
        if rows:
            raise StarspielError(f"more than one game's id begins with {identity!r}; give more of it.")
        if not known:
            raise StarspielError(f"the store {self.path} holds no games.")
        raise StarspielError(
            f"the store {self.path} has no game {identity!r}.{did_you_mean(identity, known)} "
            "`starspiel export` lists all ids."
        )


def context_id(job: Job) -> str:
    """A hash of what all pairs of a job have in common."""
    return content_key(*(f"{name} {number}" for name, number in versions().items()), job.game.name, job.seed)


def pair_id(job: Job, pair: Pair, context: str | None = None) -> str:
    """A hash of everything that determines the games of a pair."""
    context = context or context_id(job)
    agents = sorted((job.field[agent].name, job.identities[agent]) for agent in pair.agents)
    return content_key(
        context, *(text for agent in agents for text in agent), pair.number, *job.starts[pair.start]
    )


class _Moves(msgspec.Struct):
    """The part of a record that only replays need; floats as 4 bytes each."""

    actions: list[int]
    seats: list[tuple[bytes, bytes, bytes, int]]

    @staticmethod
    def decode(packed: bytes) -> "_Moves":
        return msgspec.msgpack.decode(packed, type=_Moves)


def _packed(game: GameRecord) -> bytes:
    seats = [(m.seconds.tobytes(), m.nodes.tobytes(), m.values.tobytes(), m.overruns) for m in game.moves]
    return msgspec.msgpack.encode(_Moves(list(game.actions), seats))


_SELECT = (
    "SELECT games.id, pairs.game, pairs.seed, pairs.number, pairs.start, seat0, seat1, return0, return1, "
    "fault_seat, fault_kind, fault_message, records.moves FROM games JOIN pairs ON pairs.id = games.pair "
    "JOIN records ON records.game = games.id"
)


def _stored(row: tuple[Any, ...]) -> StoredGame:
    identity, game, seed, number, start, seat0, seat1, return0, return1, seat, kind, message, packed = row
    names = (seat0,) if seat1 is None else (seat0, seat1)
    moves = _Moves.decode(packed)
    record = GameRecord(
        agents=tuple(range(len(names))),
        actions=tuple(moves.actions),
        returns=(return0,) if seat1 is None else (return0, return1),
        moves=tuple(
            Moves(array("f", seconds), array("q", nodes), array("f", values), overruns)
            for seconds, nodes, values, overruns in moves.seats
        ),
        fault=None if seat is None else Fault(seat, kind, message),
    )
    return StoredGame(identity, game, seed, number, tuple(json.loads(start)), names, record)


def _outcome(row: tuple[Any, ...], index: dict[str, int], luck: float) -> Outcome:
    two = row[3] is not None
    return Outcome(
        agents=(index[row[2]], index[row[3]]) if two else (index[row[2]],),
        returns=(row[4], row[5]) if two else (row[4],),
        fault=None if row[17] is None else Fault(row[17], row[18], row[19]),
        luck=luck,
        length=row[6],
        costs=(Cost(*row[7:12]), Cost(*row[12:17])) if two else (Cost(*row[7:12]),),
    )
