"""Every game on file: what a tournament resumes from and extends, and what exports and replays read.

A pair's id is a hash of what determines it: versions, game, seed, agents, number and start position. Running
a command again therefore plays only what is missing, and `kill -9` loses the pairs in flight and no others.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from math import factorial, isnan, nan
from operator import itemgetter
from pathlib import Path
from sqlite3 import Connection, Row
from typing import Any, Protocol

from starspiel.envs.errors import StarspielError, did_you_mean
from starspiel.evaluation.environment import environment
from starspiel.evaluation.job import Job
from starspiel.evaluation.play.dice import content_key
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import GameRecord, PairRecord, Void
from starspiel.evaluation.store.checksums import (
    checksum,
    damage,
    pair_checksum,
    pair_of_game,
    raw,
    raw_pairs,
)
from starspiel.evaluation.store.file import StoreFile
from starspiel.evaluation.store.keys import context_id, pair_ids
from starspiel.evaluation.store.rows import (
    FULL_COLUMNS,
    GAME_COLUMNS,
    RECORD_COLUMNS,
    RECORDS,
    Finished,
    StoredGame,
    StoredOutcome,
    actions_of,
    game_of,
    json_of,
    named,
    outcome_of,
    outcomes_of,
    played,
    row_of,
    run_of,
    start_of,
    voided_of,
)
from starspiel.evaluation.store.schema import ATTEMPTS

#: Measures player 0's luck in the actions of a game, of which so many are a start position.
LuckOf = Callable[[Sequence[int], int], float]


class Limits(Protocol):
    """What a store is told of the limits that agents are held to."""

    def of_fault(self, kind: str) -> float | None:
        """The limit behind a fault of this kind, or None."""


class Store:
    """A store opened for playing (one process at a time) or, with `read_only`, for looking (any number).

    Games forfeited by another limit than today's `limits` count as not played. Raises StarspielError where
    the file is no store, damaged, of another version, or in use.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, limits: Limits | None = None) -> None:
        self._limits = limits
        self._file = StoreFile(Path(path), read_only=read_only)
        self._db = self._file.connection
        self._explained = self._file.explained
        self._checked = False

    @property
    def path(self) -> Path:
        """Where it is, as it was named."""
        return self._file.path

    @property
    def has_checksums(self) -> bool:
        """Whether it is of a version that has them."""
        return self._file.has_checksums

    def close(self) -> None:
        """Commits and closes."""
        self._file.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_run(self, config: dict[str, Any]) -> str:
        """Notes a run: its configuration, and where it is played. Returns its id."""
        about = environment()
        run = content_key(json.dumps(config), json.dumps(about), os.getpid())
        row = (run, json.dumps(config), json.dumps(about))
        with self._explained():
            self._db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", (*row, checksum(*row)))
        return run

    def publish(self, run: str, key: str) -> None:
        """Writes the key of a run's dice and seeds, which is a secret before it is over, to its settings."""
        with self._explained():
            config, about = self._db.execute(
                "SELECT config, environment FROM runs WHERE id = ?", (run,)
            ).fetchone()
            row = (run, json.dumps(json.loads(config) | {"key": key}), about)
            self._db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", (*row, checksum(*row)))

    def holds_key(self, key: str) -> bool:
        """Whether a run has published this key."""
        return any(run["config"].get("key") == key for run in self.runs())

    def runs(self) -> list[dict[str, Any]]:
        """Every run's configuration and environment."""
        self.check()
        with self._explained():
            rows = self._db.execute("SELECT id, config, environment FROM runs ORDER BY rowid").fetchall()
            return [run_of(*row) for row in rows]

    def begin(self, job: Job, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs, about to be played, with the number of the attempt: see evaluation/attempts.py.

        What an attempt shows is on file before it begins, for whoever ends this process as well.
        """
        if all(job.shares_dice(pair.agents) for pair in pairs):
            return list(pairs)
        with self.transaction() as db:
            db.execute(ATTEMPTS)
            return [
                pair if job.shares_dice(pair.agents) else self._begin(job, pair, identity)
                for pair, identity in zip(pairs, pair_ids(job, pairs), strict=True)
            ]

    def _begin(self, job: Job, pair: Pair, identity: str) -> Pair:
        seen = job.seen_as(pair)
        [number] = self._db.execute(
            "SELECT max(coalesce((SELECT CAST(max(number) AS INTEGER) + 1 FROM attempts WHERE dice = ?), 0), "
            "(SELECT count(*) FROM pairs WHERE id = ?))",
            (seen, identity),
        ).fetchone()
        self._db.execute("INSERT INTO attempts VALUES (?, ?, ?, 0)", (identity, number, seen))
        return replace(pair, attempt=number)

    def attempts(self) -> dict[str, int]:
        """Pair -> the number of the attempt that its stored games are of, if that is not 0."""
        with self._explained():
            known = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'attempts'").fetchone()
            query = "SELECT pair, number FROM attempts WHERE stored AND number > 0"
            return dict(self._db.execute(query)) if known else {}

    def save(self, job: Job, record: PairRecord) -> None:
        """Stores a finished pair."""
        names = job.names
        [pair] = pair_ids(job, [record.pair])
        start = json.dumps(job.starts[record.pair.start])
        voided = json.dumps([[names[agent], fault.kind, fault.message] for agent, fault in record.voided])
        with self._explained(), self._file.saving() as db:
            db.execute("SAVEPOINT pair")
            try:
                db.execute(
                    "INSERT OR REPLACE INTO pairs VALUES (?, ?, ?, ?, ?, ?, ?, '')",
                    (pair, context_id(job), job.game.name, job.seed, record.pair.number, start, voided),
                )
                games = [
                    self._save_game(job, pair, game, [names[agent] for agent in game.agents])
                    for game in record.games
                ]
                sealed = (pair_checksum(db, games), pair)
                db.execute("UPDATE pairs SET checksum = ? WHERE id = ?", sealed)
                if not job.shares_dice(record.pair.agents):
                    db.execute(ATTEMPTS)
                    number = record.pair.attempt
                    db.execute("UPDATE attempts SET stored = (number = ?) WHERE pair = ?", (number, pair))
                db.execute("RELEASE pair")
            except BaseException:  # Ctrl-C as well: a pair is stored whole or not at all.
                if db.in_transaction:
                    db.execute("ROLLBACK TO pair")
                raise

    def _save_game(self, job: Job, pair: str, game: GameRecord, names: list[str]) -> str:
        """Stores a game of a pair and returns its id."""
        identity = content_key(pair, *names)
        about = {"id": identity, "pair": pair, "context": context_id(job)}
        row = about | row_of(game, names, None if game.fault is None else self._limit_of(game.fault.kind))
        self._db.execute(
            f"INSERT OR REPLACE INTO games ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",
            tuple(row.values()),
        )
        self._db.execute("INSERT OR REPLACE INTO records VALUES (?, ?)", (identity, played(game)))
        if job.luck_identity is not None and game.fault is None and not isnan(game.luck):
            self._save_luck(identity, job.luck_identity, game.luck)
        return identity

    def _save_luck(self, identity: str, evaluator: str, value: float) -> None:
        row = (identity, evaluator, float(value))
        self._db.execute("INSERT OR REPLACE INTO luck VALUES (?, ?, ?, ?)", (*row, checksum(*row)))

    def finished(
        self,
        job: Job,
        schedule: Sequence[Pair],
        luck_of: LuckOf | None = None,
        on_luck: Callable[[int, int], None] | None = None,
    ) -> Finished:
        """The outcomes of every scheduled pair that is stored.

        Luck that is not on file for the job's evaluator is measured by `luck_of` from the stored moves first,
        and stored; `on_luck` is called with the games done and to be done.
        """
        self.check()
        wanted = self._wanted(job, schedule)
        if job.luck_identity is not None and luck_of is not None:
            with self._explained():
                self._measure_luck(job, wanted, luck_of, on_luck)
        return self._finished(job, wanted)

    def stored(self, job: Job, schedule: Sequence[Pair]) -> Finished:
        """The same, with what luck is on file; writes nothing."""
        self.check()
        return self._finished(job, self._wanted(job, schedule))

    def _wanted(self, job: Job, schedule: Sequence[Pair]) -> dict[str, Pair]:
        """The scheduled pairs by their ids: of numbers that it has, as a schedule may have a million."""
        with self._explained():
            numbers = {number for (number,) in self._db.execute("SELECT DISTINCT number FROM pairs")}
        pairs = [pair for pair in schedule if pair.number in numbers]
        return dict(zip(pair_ids(job, pairs), pairs, strict=True))

    def held(self, game: str, names: Sequence[str]) -> Finished:
        """The outcomes of every pair of this game between these agents, whatever else made it what it was.

        Versions, seeds and limits may be any: for who stands by the agents' names. `agents` of the pairs are
        indices of `names`.
        """
        self.check()
        index = {name: number for number, name in enumerate(names)}
        query = (
            "SELECT pairs.id, min(seat0), max(seat0), number FROM games JOIN pairs ON pairs.id = games.pair "
            "WHERE pairs.game = ? GROUP BY pairs.id"
        )
        with self._explained():
            wanted = {
                identity: Pair(tuple(sorted({index[one], index[other]})), number)
                for identity, one, other, number in self._db.execute(query, (game,))
                if one in index and other in index
            }
            return self._outcomes_of(None, wanted, index, {}, 2)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """What is written within it is written as a whole, or not at all."""
        with self._explained():
            self._file.commit()
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._file.commit()
            except BaseException:
                self._db.execute("ROLLBACK")
                raise

    def digests(self, size: int) -> Iterator[tuple[str, str]]:
        """(name, hash of so many bytes) of every pair and run, and of every pair's luck by an evaluator."""
        with self._explained():
            with raw(self._db) as db:
                pairs = [(pair.id.decode(), pair.digest(size)) for pair in raw_pairs(db)]
            yield from ((f"pair {identity}", digest) for identity, digest in pairs)
            for identity, *said in self._db.execute("SELECT id, config, environment FROM runs ORDER BY id"):
                yield f"run {identity}", checksum(*said, size=size)
            lucks = self._db.execute(
                "SELECT evaluator, pair, game, value FROM luck JOIN games ON games.id = luck.game "
                "ORDER BY evaluator, pair, game"
            )
            for (evaluator, pair), its_rows in groupby(lucks, key=itemgetter(0, 1)):
                yield f"luck by {evaluator} in pair {pair}", checksum(*its_rows, size=size)

    def count(self) -> int:
        """How many pairs it holds."""
        with self._explained():
            return int(self._db.execute("SELECT count(*) FROM pairs").fetchone()[0])

    def check(self) -> None:
        """Raises StarspielError where the store is not as it was written; it names the damaged pairs.

        Whoever reads all of a store has this done once. Stores without checksums are taken as they are.
        """
        if self._checked or not self._file.has_checksums:
            return
        with self._explained():
            found = damage(self._db)
        if found:
            raise StarspielError(
                f"the store {self.path} is damaged: {found}. `starspiel merge {self.path} --salvage --output "
                "NEW` makes a store of the pairs that are sound, to go on with; `export` and `replay` leave "
                "the others out with --salvage."
            )
        self._checked = True

    def _finished(self, job: Job, wanted: Mapping[str, Pair]) -> Finished:
        try:
            with self._explained():
                index = {name: number for number, name in enumerate(job.names)}
                luck = self._luck_by([job.luck_identity])[job.luck_identity] if job.luck_identity else {}
                found = self._outcomes_of(context_id(job), wanted, index, luck, job.game.num_players)
        except KeyError as error:
            raise StarspielError(
                f"the store {self.path} is damaged: {error} plays in a pair of other agents. Use a copy or "
                "another file."
            ) from None
        if said := found.impossible(job.game.utility_range):
            raise StarspielError(
                f"the store {self.path} holds {said}: it has been altered, or the rules break their promise. "
                f"`starspiel verify {self.path}` compares all of its games with the rules."
            )
        return found

    def _outcomes_of(
        self,
        context: str | None,
        wanted: Mapping[str, Pair],
        index: dict[str, int],
        luck: dict[str, float],
        seats: int,
    ) -> Finished:
        """The wanted pairs of a context; without one, of all, and with forfeits by any limit."""
        db = self._db
        of_context, own_context = ("TRUE", ()) if context is None else ("context = ?", (context,))
        # A foreign agent's fault stands at once, without a void pair before it.
        faulty = (
            f"pair {{}} (SELECT id FROM pairs WHERE {of_context} AND voided != '[]' "
            f"UNION SELECT pair FROM games WHERE {of_context} AND fault_kind IS NOT NULL)"
        )
        games = f"SELECT {GAME_COLUMNS} FROM games WHERE {of_context} AND {faulty} ORDER BY rowid"
        # A pair's games are stored together.
        rows = named(db, games.format("NOT IN"), *(3 * own_context))
        faultless = outcomes_of(rows, wanted, index, luck, seats)
        voided: dict[str, str] = dict(
            db.execute(f"SELECT id, voided FROM pairs WHERE {of_context} AND voided != '[]'", own_context)
        )
        singly = []
        rows = named(db, games.format("IN"), *(3 * own_context))
        for identity, its_rows in groupby(rows, key=itemgetter("pair")):
            own = [row for row in its_rows if context is None or self._is_by_limits(row)]
            pair = wanted.get(identity)
            if pair is None or len(own) != factorial(len(pair.agents)):
                continue  # Forfeits by another limit do not count.
            outcomes = [outcome_of(row, index, luck.get(row["id"], nan)) for row in own]
            # In the order of the pair's seatings, which follow the order of today's field.
            if outcomes[0].agents[0] != pair.agents[0]:
                outcomes.reverse()
            voids = [
                Void(index[name], kind, message)
                for name, kind, message in voided_of(voided.get(identity, "[]"))
            ]
            singly.append((pair, outcomes, voids))
        return Finished(faultless, singly)

    def _limit_of(self, kind: str) -> float | None:
        return None if self._limits is None else self._limits.of_fault(kind)

    def _is_by_limits(self, row: Row) -> bool:
        """Whether a forfeit, if it was one, was by today's limits."""
        stood: bool = row["fault_limit"] == self._limit_of(row["fault_kind"])
        return stood

    def _measure_luck(
        self,
        job: Job,
        wanted: Mapping[str, Pair],
        luck_of: LuckOf,
        on_luck: Callable[[int, int], None] | None,
    ) -> None:
        assert job.luck_identity is not None
        rows = self._db.execute(
            "SELECT id, pair FROM games WHERE context = ? AND fault_kind IS NULL AND id NOT IN "
            "(SELECT game FROM luck WHERE evaluator = ?) ORDER BY rowid",
            (context_id(job), job.luck_identity),
        )
        # All at once: a query that stays open would keep SQLite from tidying its log.
        missing = [(identity, wanted[pair]) for identity, pair in rows.fetchall() if pair in wanted]
        for number, (identity, pair) in enumerate(missing, start=1):
            with self._file.saving() as db:
                found = db.execute("SELECT moves FROM records WHERE game = ?", (identity,)).fetchone()
                actions = actions_of(found[0])
                value = luck_of(actions, len(job.starts[pair.start]))
                self._save_luck(identity, job.luck_identity, value)
            if on_luck is not None:
                on_luck(number, len(missing))
        self._file.commit()

    def evaluators(self) -> list[str]:
        """Those that luck is on file by."""
        self.check()
        with self._explained():
            rows = self._db.execute("SELECT DISTINCT evaluator FROM luck ORDER BY evaluator")
            return [evaluator for (evaluator,) in rows]

    def games(self) -> Iterator[StoredGame]:
        """Every game, in the order they were stored."""
        self.check()
        with self._explained():
            query = f"SELECT {RECORD_COLUMNS} FROM {RECORDS} ORDER BY games.rowid"
            yield from map(game_of, named(self._db, query))

    def json_games(self) -> Iterator[str]:
        """The same games, each as a JSON object."""
        known = self._luck_by(self.evaluators())
        with self._explained():
            for row in named(self._db, f"SELECT {RECORD_COLUMNS} FROM {RECORDS} ORDER BY games.rowid"):
                identity = row["id"]
                yield json_of(row, {name: own[identity] for name, own in known.items() if identity in own})

    def outcomes(self, evaluators: Sequence[str] = ()) -> Iterator[StoredOutcome]:
        """The same games without their moves, with their luck by these evaluators."""
        self.check()
        known = [own.get for own in self._luck_by(evaluators).values()]
        with self._explained():
            rows = named(
                self._db,
                f"SELECT game, seed, number, start, {GAME_COLUMNS} "
                "FROM games JOIN pairs ON pairs.id = games.pair ORDER BY games.rowid",
            )
            for row in rows:
                first, second = row["seat0"], row["seat1"]
                yield StoredOutcome(
                    id=row["id"],
                    game=row["game"],
                    seed=row["seed"],
                    number=row["number"],
                    start=start_of(row["start"]),
                    names=(first,) if second is None else (first, second),
                    outcome=outcome_of(row, {second: 1, first: 0}, nan),
                    luck=tuple([of(row["id"]) for of in known]),
                )

    def walked(self, games: Sequence[str] | None = None) -> Iterator[Row]:
        """All that is known of every game, or of some by their ids, for comparing it with itself."""
        query = f"SELECT {FULL_COLUMNS} FROM {RECORDS} WHERE {{}} ORDER BY games.rowid"
        with self._explained():
            if games is None:
                yield from named(self._db, query.format("TRUE"))
            for identity in games or ():
                yield from named(self._db, query.format("games.id = ?"), identity)

    def game_names(self) -> list[str]:
        """What its pairs are of."""
        with self._explained():
            return [name for (name,) in self._db.execute("SELECT DISTINCT game FROM pairs ORDER BY game")]

    def seeds(self) -> set[int]:
        """The seeds of its pairs."""
        with self._explained():
            return {seed for (seed,) in self._db.execute("SELECT DISTINCT seed FROM pairs")}

    def some_games(self, number: int, context: str | None = None) -> list[str]:
        """The ids of so many games, drawn at random: of all, or of those of a job's context."""
        query = "SELECT id FROM games WHERE context = ?1 OR ?1 IS NULL ORDER BY random() LIMIT ?2"
        with self._explained():
            return [identity for (identity,) in self._db.execute(query, (context, number))]

    def _luck_by(self, evaluators: Sequence[str]) -> dict[str, dict[str, float]]:
        """Evaluator -> game -> luck: quicker than asking game by game."""
        with self._explained():
            return {
                evaluator: dict(
                    self._db.execute("SELECT game, value FROM luck WHERE evaluator = ?", (evaluator,))
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
            luck = self._db.execute("SELECT evaluator, value FROM luck WHERE game = ?", (row["id"],))
            return json_of(row, dict(luck))

    def _row(self, identity: str) -> Row:
        with self._explained():
            query = f"SELECT {RECORD_COLUMNS} FROM {RECORDS} WHERE games.id >= ? AND games.id < ? LIMIT 2"
            rows: list[Row] = named(self._db, query, identity, identity + "g").fetchall()
            near = f"SELECT games.id FROM {RECORDS} WHERE games.id IS NOT NULL LIMIT 20"
            known = [row[0] for row in self._db.execute(near)]
        if len(rows) == 1:
            self._check_pair_of(rows[0]["id"])
            return rows[0]
        if rows:
            raise StarspielError(f"more than one game's id begins with {identity!r}; give more of it.")
        if not known:
            raise StarspielError(f"the store {self.path} holds no games.")
        raise StarspielError(
            f"the store {self.path} has no game {identity!r}.{did_you_mean(identity, known)} "
            "`starspiel export` lists all ids."
        )

    def _check_pair_of(self, game: str) -> None:
        """Raises StarspielError where the pair of a game is not as it was stored."""
        if not self._file.has_checksums:
            return
        with self._explained():
            pair = pair_of_game(self._db, game)
        if said := pair.wrong:
            raise StarspielError(
                f"the store {self.path} is damaged: game {game} is of a pair that {said}: {pair}."
            )
