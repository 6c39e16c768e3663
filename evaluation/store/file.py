"""Every game on file: a SQLite store that a tournament resumes from, extends and exports.

A pair's id is a hash of what determines it: versions, game, seed, agents, number and start position. Running
a command again therefore plays only what is missing, and `kill -9` loses the pairs in flight and no others.
"""

import fcntl
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from math import factorial, isnan, nan
from operator import itemgetter
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from starspiel.envs.errors import StarspielError, did_you_mean
from starspiel.evaluation.environment import environment, versions
from starspiel.evaluation.job import Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.play.dice import content_key, encoded, key_of
from starspiel.evaluation.play.luck import game_luck
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import GameRecord, PairRecord
from starspiel.evaluation.store.rows import (
    GAME_COLUMNS,
    RECORD_COLUMNS,
    RECORDS,
    Finished,
    StoredGame,
    StoredOutcome,
    actions_of,
    columns_of,
    game_of,
    json_of,
    outcome_of,
    played,
    start_of,
)

#: "STSP": says that a SQLite file is a store; the version is that of the tables below.
_APPLICATION = 0x53545350
_VERSION = 4
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
    wall_overruns0 INTEGER,
    moves1 INTEGER, seconds1 REAL, told1 INTEGER, nodes1 INTEGER, overruns1 INTEGER,
    wall_overruns1 INTEGER,
    fault_seat INTEGER, fault_kind TEXT, fault_message TEXT, fault_limit REAL);
CREATE TABLE records (game TEXT PRIMARY KEY REFERENCES games, moves TEXT NOT NULL);
CREATE TABLE luck (game TEXT, evaluator TEXT, value REAL, PRIMARY KEY (game, evaluator)) WITHOUT ROWID;
CREATE INDEX games_by_context ON games (context);
"""


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
        if self.path.exists() and not self.path.is_file():
            kind = "a folder" if self.path.is_dir() else "a device or a pipe"
            raise StarspielError(f"{self.path} cannot be a store: it is {kind}; name a file.")
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
        log = Path(f"{os.path.realpath(self.path)}-wal")
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
        self._connection.execute("INSERT OR REPLACE INTO records VALUES (?, ?)", (identity, played(game)))
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
    ) -> Finished:
        """The outcomes of every scheduled pair that is stored.

        Luck that is not on file for the job's evaluator is measured from the stored moves first, and stored;
        `on_luck` is told the games done and to be done.
        """
        wanted = dict(zip(pair_ids(job, schedule), schedule, strict=True))
        with self._explained():
            if job.luck is not None:
                self._measure_luck(job, wanted, on_luck)
            return self._finished(job, wanted)

    def stored(self, job: Job, schedule: Sequence[Pair]) -> Finished:
        """The same, with what luck is on file; writes nothing."""
        wanted = dict(zip(pair_ids(job, schedule), schedule, strict=True))
        with self._explained():
            return self._finished(job, wanted)

    def _finished(self, job: Job, wanted: Mapping[str, Pair]) -> Finished:
        context, db = context_id(job), self._connection
        index = {entrant.name: number for number, entrant in enumerate(job.field)}
        luck: dict[str, float] = {}
        if job.luck_identity is not None:
            luck = dict(db.execute("SELECT game, value FROM luck WHERE evaluator = ?", (job.luck_identity,)))
        faulty = "pair {} (SELECT id FROM pairs WHERE context = ? AND voided != '[]')"
        games = f"SELECT {GAME_COLUMNS} FROM games WHERE context = ? AND {faulty} ORDER BY rowid"
        # A pair's games are stored together.
        rows = db.execute(games.format("NOT IN"), (context, context))
        columns = columns_of(rows, wanted, index, luck, job.game.num_players)
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
            outcomes = [outcome_of(row, index, luck.get(row[1], nan)) for row in own]
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
                actions = actions_of(found[0])
                value = game_luck(job.game, actions, job.luck, skip=len(job.starts[pair.start]))
                self._save_luck(identity, job.luck_identity, value)
            if on_luck is not None:
                on_luck(number, len(missing))
        self._commit()

    def evaluators(self) -> list[str]:
        """Those that luck is on file by."""
        with self._explained():
            rows = self._connection.execute("SELECT DISTINCT evaluator FROM luck ORDER BY evaluator")
            return [evaluator for (evaluator,) in rows]

    def games(self) -> Iterator[StoredGame]:
        """Every game, in the order they were stored."""
        with self._explained():
            query = f"SELECT {RECORD_COLUMNS} FROM {RECORDS} ORDER BY games.rowid"
            yield from map(game_of, self._connection.execute(query))

    def json_games(self) -> Iterator[str]:
        """The same games, each as a JSON object."""
        known = self._luck_by(self.evaluators())
        with self._explained():
            for row in self._connection.execute(
                f"SELECT {RECORD_COLUMNS} FROM {RECORDS} ORDER BY games.rowid"
            ):
                identity = row[0]
                yield json_of(row, {name: own[identity] for name, own in known.items() if identity in own})

    def outcomes(self, evaluators: Sequence[str] = ()) -> Iterator[StoredOutcome]:
        """The same games without their moves, with their luck by these evaluators."""
        known = [own.get for own in self._luck_by(evaluators).values()]
        with self._explained():
            rows = self._connection.execute(
                f"SELECT game, seed, number, start, {GAME_COLUMNS} "
                "FROM games JOIN pairs ON pairs.id = games.pair ORDER BY games.rowid"
            )
            for game, seed, number, start, *row in rows:
                first, second = row[2:4]
                names = (first,) if second is None else (first, second)
                outcome = outcome_of(row, {second: 1, first: 0}, nan)
                luck = tuple([of(row[1]) for of in known])
                yield StoredOutcome(row[1], game, seed, number, start_of(start), names, outcome, luck)

    def _luck_by(self, evaluators: Sequence[str]) -> dict[str, dict[str, float]]:
        """Evaluator -> game -> luck: quicker than asking game by game."""
        with self._explained():
            return {
                evaluator: dict(
                    self._connection.execute("SELECT game, value FROM luck WHERE evaluator = ?", (evaluator,))
                )
                for evaluator in evaluators
            }

    def game(self, identity: str) -> StoredGame:
        """The game with this id, or with the only id that begins so."""
        row = self._row(identity)
        with self._explained():
            return game_of(row)

    def json_game(self, identity: str) -> str:
        """The same game as a JSON object."""
        row = self._row(identity)
        with self._explained():
            luck = self._connection.execute("SELECT evaluator, value FROM luck WHERE game = ?", row[:1])
            return json_of(row, dict(luck))

    def _row(self, identity: str) -> tuple[Any, ...]:
        with self._explained():
            rows: list[tuple[Any, ...]] = self._connection.execute(
                f"SELECT {RECORD_COLUMNS} FROM {RECORDS} WHERE games.id >= ? AND games.id < ? LIMIT 2",
                (identity, identity + "g"),
            ).fetchall()
            known = [row[0] for row in self._connection.execute("SELECT id FROM games LIMIT 20")]
        if len(rows) == 1:
            return rows[0]
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
    numbers = (f"{name} {number}" for name, number in versions().items())
    return content_key(*numbers, job.game_identity, job.seed)


def pair_ids(job: Job, pairs: Iterable[Pair]) -> Iterator[str]:
    """A hash of everything that determines the games of a pair, for each."""
    context = context_id(job)
    # Overruns are counted while a game is played, so another clock makes it another game.
    more = [] if job.clock is None else [f"clock {job.clock}"]
    if job.sequential:  # A match that its own results have ended is not to be pooled with others.
        more.append("sprt")
    meetings: dict[tuple[int, ...], bytes] = {}
    for pair in pairs:
        key = meetings.get(pair.agents)
        if key is None:
            agents = sorted((job.field[agent].name, job.identities[agent]) for agent in pair.agents)
            key = meetings[pair.agents] = encoded(context, *(text for agent in agents for text in agent))
        yield key_of(key + encoded(pair.number, *job.starts[pair.start], *more))
