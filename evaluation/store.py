"""Every game on file: a SQLite store that a tournament resumes from, extends and exports.

A pair's id is a hash of what determines it: versions, game, seed, agents, number and start position. Running
a command again therefore plays only what is missing, and `kill -9` loses the pairs in flight and no others.
"""

import fcntl
import json
import os
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import factorial, isnan, nan
from operator import itemgetter
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from starspiel.envs.errors import StarspielError, did_you_mean
from starspiel.evaluation.columns import Columns
from starspiel.evaluation.dice import content_key, encoded, key_of
from starspiel.evaluation.environment import environment, versions
from starspiel.evaluation.job import Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.luck import game_luck
from starspiel.evaluation.pairing import Pair
from starspiel.evaluation.record import Cost, Fault, GameRecord, Moves, Outcome, PairRecord

#: "STSP": says that a SQLite file is a store; the version is that of the tables below.
_APPLICATION = 0x53545350
_VERSION = 3
#: Seconds between commits while games are quicker than that.
_COMMIT_SECONDS = 0.2
#: What SQLite writes at the start of a file.
_HEADER_BYTES = 100
#: Games read together.
_CHUNK = 10_000

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
CREATE TABLE records (game TEXT PRIMARY KEY REFERENCES games, moves BLOB NOT NULL);
CREATE TABLE luck (game TEXT, evaluator TEXT, value REAL, PRIMARY KEY (game, evaluator)) WITHOUT ROWID;
CREATE INDEX games_by_context ON games (context);
"""
_GAME = (
    "pair, games.id, seat0, seat1, return0, return1, length, "
    "moves0, seconds0, told0, nodes0, overruns0, wall_overruns0, "
    "moves1, seconds1, told1, nodes1, overruns1, wall_overruns1, "
    "fault_seat, fault_kind, fault_message, fault_limit"
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


class StoredOutcome(NamedTuple):
    """The same without the game's moves."""

    id: str
    game: str
    seed: int
    number: int
    start: tuple[int, ...]
    names: tuple[str, ...]
    outcome: Outcome


class Store:
    """A store opened for playing (one process at a time) or, with `read_only`, for looking (any number).

    Games forfeited by another limit than today's `limits` count as not played. Raises StarspielError where
    the file is no store, damaged, of another version, or in use.
    """

    def __init__(
        self, path: str | Path, *, read_only: bool = False, limits: HardLimits | None = None
    ) -> None:
        self.path = Path(path)
        self._limits = limits or HardLimits()
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
        try:
            application = self._pragma("application_id")
        except sqlite3.OperationalError as error:
            if not read_only or log.exists() or "unable to open" not in str(error):
                raise
            # Where nothing can be written, SQLite has no place for the index of its log; there is no log.
            self._db.close()
            self._db = sqlite3.connect(
                f"{self.path.resolve().as_uri()}?immutable=1", isolation_level=None, uri=True
            )
            application = self._pragma("application_id")
        version = self._pragma("user_version")
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
            if "disk I/O" in str(error):
                raise StarspielError(
                    f"the store {self.path} cannot be read or written: its disk is gone, or takes no more. "
                    "What was stored is kept: see to the disk, and run the same command again to go on."
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
        [pair] = pair_ids(job, [record.pair])
        start = json.dumps(job.starts[record.pair.start])
        voided = json.dumps([[names[agent], fault.kind, fault.message] for agent, fault in record.voided])
        with self._explained(), self._saving() as db:
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

    @contextmanager
    def _saving(self) -> Iterator[sqlite3.Connection]:
        """A part of a transaction that is committed now and then."""
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
        yield self._connection
        if monotonic() - self._last_commit > _COMMIT_SECONDS:
            self._commit()

    def _save_game(self, job: Job, pair: str, game: GameRecord, names: list[str]) -> None:
        seats = [*names, None][:2]
        returns = [*game.returns, None][:2]
        costs = [*(value for moves in game.moves for value in moves.cost), *([None] * 6)][:12]
        fault: tuple[Any, ...] = (None,) * 4
        if game.fault is not None:
            limit = self._limits.of_fault(game.fault.kind)
            fault = (game.fault.seat, game.fault.kind, game.fault.message, limit)
        identity = content_key(pair, *names)
        self._connection.execute(
            f"INSERT OR REPLACE INTO games VALUES ({', '.join('?' * 24)})",
            (identity, pair, context_id(job), *seats, *returns, len(game.actions), *costs, *fault),
        )
        self._connection.execute("INSERT OR REPLACE INTO records VALUES (?, ?)", (identity, _packed(game)))
        if job.luck_identity is not None and game.fault is None and not isnan(game.luck):
            self._save_luck(identity, job.luck_identity, game.luck)

    def _save_luck(self, identity: str, evaluator: str, value: float) -> None:
        self._connection.execute("INSERT OR REPLACE INTO luck VALUES (?, ?, ?)", (identity, evaluator, value))

    def _commit(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")
        self._last_commit = monotonic()

    def finished(
        self, job: Job, schedule: Sequence[Pair], on_luck: Callable[[int, int], None] | None = None
    ) -> "Finished":
        """The outcomes of every scheduled pair that is stored.

        Luck that is not on file for the job's evaluator is measured from the stored moves first, and stored;
        `on_luck` is told the games done and to be done.
        """
        wanted = dict(zip(pair_ids(job, schedule), schedule, strict=True))
        with self._explained():
            if job.luck is not None:
                self._measure_luck(job, wanted, on_luck)
            return self._finished(job, wanted)

    def stored(self, job: Job, schedule: Sequence[Pair]) -> set[Pair]:
        """The scheduled pairs that are stored; writes nothing."""
        wanted = dict(zip(pair_ids(job, schedule), schedule, strict=True))
        with self._explained():
            return self._finished(job, wanted).pairs

    def _finished(self, job: Job, wanted: Mapping[str, Pair]) -> "Finished":
        context, db = context_id(job), self._connection
        index = {entrant.name: number for number, entrant in enumerate(job.field)}
        luck: dict[str, float] = {}
        if job.luck_identity is not None:
            luck = dict(db.execute("SELECT game, value FROM luck WHERE evaluator = ?", (job.luck_identity,)))
        faulty = "pair {} (SELECT id FROM pairs WHERE context = ? AND voided != '[]')"
        games = f"SELECT {_GAME} FROM games WHERE context = ? AND {faulty} ORDER BY rowid"
        # A pair's games are stored together.
        rows = db.execute(games.format("NOT IN"), (context, context))
        columns = _columns(rows, wanted, index, luck, job.game.num_players)
        voided: dict[str, str] = dict(
            db.execute("SELECT id, voided FROM pairs WHERE context = ? AND voided != '[]'", (context,))
        )
        singly = []
        rows = db.execute(games.format("IN"), (context, context))
        for identity, its_rows in groupby(rows, key=itemgetter(0)):
            own = [row for row in its_rows if row[22] == self._limits.of_fault(row[20])]
            pair = wanted.get(identity)
            if pair is None or len(own) != factorial(len(pair.agents)):
                continue  # Forfeits by another limit do not count.
            outcomes = [_outcome(row, index, luck.get(row[1], nan)) for row in own]
            # In the order of the pair's seatings, which follow the order of today's field.
            if outcomes[0].agents[0] != pair.agents[0]:
                outcomes.reverse()
            singly.append((pair, outcomes, [index[name] for name, _, _ in json.loads(voided[identity])]))
        return Finished(columns, singly)

    def _measure_luck(
        self, job: Job, wanted: Mapping[str, Pair], on_luck: Callable[[int, int], None] | None
    ) -> None:
        assert job.luck is not None
        assert job.luck_identity is not None
        rows = self._connection.execute(
            "SELECT id, pair FROM games WHERE context = ? AND fault_kind IS NULL AND id NOT IN "
            "(SELECT game FROM luck WHERE evaluator = ?) ORDER BY rowid",
            (context_id(job), job.luck_identity),
        )
        # All at once: a query that stays open would keep SQLite from tidying its log.
        missing = [(identity, wanted[pair]) for identity, pair in rows.fetchall() if pair in wanted]
        for number, (identity, pair) in enumerate(missing, start=1):
            with self._saving() as db:
                found = db.execute("SELECT moves FROM records WHERE game = ?", (identity,)).fetchone()
                actions = _Moves.decode(found[0]).actions
                value = game_luck(job.game, actions, job.luck, skip=len(job.starts[pair.start]))
                self._save_luck(identity, job.luck_identity, value)
            if on_luck is not None:
                on_luck(number, len(missing))
        self._commit()

    def games(self) -> Iterator[StoredGame]:
        """Every game, in the order they were stored."""
        with self._explained():
            yield from map(_stored, self._connection.execute(f"{_SELECT} ORDER BY games.rowid"))

    def outcomes(self) -> Iterator[StoredOutcome]:
        """The same games without their moves: five times as quick."""
        with self._explained():
            rows = self._connection.execute(
                f"SELECT game, seed, number, start, {_GAME} FROM games JOIN pairs ON pairs.id = games.pair "
                "ORDER BY games.rowid"
            )
            for game, seed, number, start, *row in rows:
                names = tuple(name for name in row[2:4] if name is not None)
                outcome = _outcome(row, {name: seat for seat, name in enumerate(names)}, nan)
                yield StoredOutcome(row[1], game, seed, number, _start(start), names, outcome)

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


class Finished(NamedTuple):
    """The stored pairs of a schedule: those without a fault, and those that a fault made void at first.

    Attributes:
        columns: the outcomes of the first.
        faulty: (pair, outcomes, agents at fault in the void attempt) of each of the others.
    """

    columns: Columns
    faulty: list[tuple[Pair, list[Outcome], list[int]]]

    @property
    def pairs(self) -> set[Pair]:
        """All of them."""
        return {*self.columns.pairs, *(pair for pair, _, _ in self.faulty)}

    def each(self) -> Iterator[tuple[Pair, list[Outcome], list[int]]]:
        """Pair by pair: (pair, outcomes in the order of its seatings, agents at fault in a void attempt)."""
        for pair, outcomes in self.columns.each():
            yield pair, outcomes, []
        yield from self.faulty


def context_id(job: Job) -> str:
    """A hash of what all pairs of a job have in common."""
    return content_key(*(f"{name} {number}" for name, number in versions().items()), job.game.name, job.seed)


def pair_ids(job: Job, pairs: Iterable[Pair]) -> Iterator[str]:
    """A hash of everything that determines the games of a pair, for each."""
    context = context_id(job)
    # Overruns are counted while a game is played, so another clock makes it another game.
    clock = () if job.clock is None else (f"clock {job.clock}",)
    meetings: dict[tuple[int, ...], bytes] = {}
    for pair in pairs:
        key = meetings.get(pair.agents)
        if key is None:
            agents = sorted((job.field[agent].name, job.identities[agent]) for agent in pair.agents)
            key = meetings[pair.agents] = encoded(context, *(text for agent in agents for text in agent))
        yield key_of(key + encoded(pair.number, *job.starts[pair.start], *clock))


class _Moves(msgspec.Struct):
    """The part of a record that only replays need; floats as 4 bytes each."""

    actions: list[int]
    seats: list[tuple[bytes, bytes, bytes, int, int]]

    @staticmethod
    def decode(packed: bytes) -> "_Moves":
        return msgspec.msgpack.decode(packed, type=_Moves)

    def of_seats(self) -> Iterator[Moves]:
        for seconds, nodes, values, *overruns in self.seats:
            try:
                yield Moves(array("f", seconds), array("q", nodes), array("f", values), *overruns)
            except ValueError as error:
                raise msgspec.ValidationError(f"the costs of a game's moves are cut off: {error}") from None


def _packed(game: GameRecord) -> bytes:
    seats = [
        (m.seconds.tobytes(), m.nodes.tobytes(), m.values.tobytes(), m.overruns, m.wall_overruns)
        for m in game.moves
    ]
    return msgspec.msgpack.encode(_Moves(list(game.actions), seats))


_SELECT = (
    "SELECT games.id, pairs.game, pairs.seed, pairs.number, pairs.start, seat0, seat1, return0, return1, "
    "fault_seat, fault_kind, fault_message, records.moves FROM games JOIN pairs ON pairs.id = games.pair "
    "JOIN records ON records.game = games.id"
)


@lru_cache
def _start(text: str) -> tuple[int, ...]:
    return tuple(json.loads(text))


def _stored(row: tuple[Any, ...]) -> StoredGame:
    identity, game, seed, number, start, seat0, seat1, return0, return1, seat, kind, message, packed = row
    names = (seat0,) if seat1 is None else (seat0, seat1)
    packed_moves = _Moves.decode(packed)
    if len(packed_moves.seats) != len(names):
        raise msgspec.ValidationError(f"game {identity} has moves of {len(packed_moves.seats)} seats")
    record = GameRecord(
        agents=tuple(range(len(names))),
        actions=tuple(packed_moves.actions),
        returns=(return0,) if seat1 is None else (return0, return1),
        moves=tuple(packed_moves.of_seats()),
        fault=None if seat is None else Fault(seat, kind, message),
    )
    return StoredGame(identity, game, seed, number, _start(start), names, record)


def _columns(
    rows: sqlite3.Cursor,
    wanted: Mapping[str, Pair],
    index: dict[str, int],
    luck: dict[str, float],
    seats: int,
) -> Columns:
    """The games of the wanted pairs that are whole, from rows of `_GAME` without a fault."""
    pairs: list[str] = []
    chunks = [_numbers([], index, luck, seats)]
    while chunk := rows.fetchmany(_CHUNK):  # not all at once: rows take ten times the memory of the numbers
        chunk = [row for row in chunk if row[0] in wanted]
        pairs += [row[0] for row in chunk]
        chunks.append(_numbers(chunk, index, luck, seats))
    games = Counter(pairs)
    whole = np.array([games[pair] == seats for pair in pairs], dtype=bool)
    columns = [np.concatenate(parts)[whole] for parts in zip(*chunks, strict=True)]
    return Columns([wanted[pair] for pair, number in games.items() if number == seats], *columns)


def _numbers(
    rows: list[tuple[Any, ...]], index: dict[str, int], luck: dict[str, float], seats: int
) -> tuple[NDArray[Any], ...]:
    """The numbers of `Columns`, in its order."""
    columns = list(zip(*rows, strict=True)) or [()] * 22
    width = len(Cost._fields)
    costs = np.array(columns[7 : 7 + width * seats], dtype=float)
    return (
        np.array([[index[name] for name in names] for names in columns[2 : 2 + seats]], dtype=int).T,
        np.array(columns[4 : 4 + seats], dtype=float).T,
        np.array([luck.get(identity, nan) for identity in columns[1]], dtype=float),
        np.array(columns[6], dtype=int),
        costs.reshape(seats, width, -1).transpose(2, 0, 1),
    )


def _outcome(row: Sequence[Any], index: dict[str, int], luck: float) -> Outcome:
    two = row[3] is not None
    return Outcome(
        agents=(index[row[2]], index[row[3]]) if two else (index[row[2]],),
        returns=(row[4], row[5]) if two else (row[4],),
        fault=None if row[19] is None else Fault(*row[19:22]),
        luck=luck,
        length=row[6],
        costs=(Cost(*row[7:13]), Cost(*row[13:19])) if two else (Cost(*row[7:13]),),
    )
