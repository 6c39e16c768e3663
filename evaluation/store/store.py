"""Provides `Store`, a file of all games, which tournaments resume and extend, and exports and replays read.

A pair's id is a hash of what determines it: versions, game, seed, agents, number and start position. Running
a command again therefore plays only what is missing, and `kill -9` loses only the pairs being played.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import msgspec

from starspiel.envs.errors import StarspielError, did_you_mean
from starspiel.evaluation.environment import environment
from starspiel.evaluation.job import Job
from starspiel.evaluation.play.dice import content_key
from starspiel.evaluation.play.pairing import Pair, units
from starspiel.evaluation.play.record import GameRecord, Luck, PairRecord, is_measured
from starspiel.evaluation.store.checksums import checked, damage, raw_pairs
from starspiel.evaluation.store.file import StoreFile
from starspiel.evaluation.store.rows import (
    QUERY,
    StoredGame,
    StoredRow,
    luck_from,
    other_seats,
    packed,
    row_of,
    stored_luck,
)
from starspiel.evaluation.store.tables import ATTEMPTS, has_table, insert


class Limits(Protocol):
    """The part of the agents' limits that a store needs."""

    def of_fault(self, kind: str) -> float | None:
        """Returns the limit whose excess is a fault of this kind, or None."""


class Store(StoreFile):
    """A store, opened for playing (one process at a time) or, with `read_only`, for reading (any number).

    Games forfeited by a limit other than those in `limits` count as not played. Raises the same errors as
    `StoreFile`.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, limits: Limits | None = None) -> None:
        self._limits = limits
        self._checked = False
        super().__init__(path, read_only=read_only)

    def check(self) -> None:
        """Raises StarspielError, which names the damaged pairs, if the store is not as it was written."""
        if self._checked:
            return
        with self.explained() as db:
            found = damage(db)
        if found:
            raise StarspielError(f"the store {self.path} is damaged: {found}. {self._cure}")
        self._checked = True

    # Runs and attempts

    def add_run(self, config: dict[str, Any]) -> str:
        """Stores a run's configuration and environment, and returns the run's id."""
        said, about = json.dumps(config), json.dumps(environment())
        run = content_key(said, about, os.getpid())
        with self.explained() as db:
            insert(db, "runs", checked(id=run, config=said, environment=about))
        return run

    def publish(self, run: str, key: str) -> None:
        """Adds the key of a run's dice and seeds, which is secret until the run is over, to its settings."""
        with self.explained() as db:
            query = "SELECT config, environment FROM runs WHERE id = ?"
            config, about = db.execute(query, (run,)).fetchone()
            said = json.dumps(json.loads(config) | {"key": key})
            insert(db, "runs", checked(id=run, config=said, environment=about))

    def holds_key(self, key: str) -> bool:
        """Returns whether a run has published this key."""
        return any(run["config"].get("key") == key for run in self.runs())

    def runs(self) -> list[dict[str, Any]]:
        """Returns id, configuration and environment of every run, in order."""
        self.check()
        with self.explained() as db:
            rows = db.execute("SELECT id, config, environment FROM runs ORDER BY rowid").fetchall()
            try:
                return [
                    {"id": run, "config": json.loads(said), **json.loads(about)} for run, said, about in rows
                ]
            except (RecursionError, TypeError, ValueError) as error:
                raise msgspec.ValidationError(f"a run is not valid JSON ({error})") from None

    def begin(self, job: Job, pairs: Sequence[Pair]) -> list[Pair]:
        """Returns the pairs about to be played with the number of the attempt: see evaluation/attempts.py.

        The attempt is committed before it begins, so that it counts even if this process is killed.
        """
        if all(job.shares_dice(pair.agents) for pair in pairs):
            return list(pairs)
        with self.transaction() as db:
            db.execute(ATTEMPTS)
            return [
                pair if job.shares_dice(pair.agents) else self._begin(db, pair, identity, job.seen_as(pair))
                for pair, identity in zip(pairs, job.pair_ids(pairs), strict=True)
            ]

    def _begin(self, db: sqlite3.Connection, pair: Pair, identity: str, dice: str) -> Pair:
        [number] = db.execute(
            "SELECT max(coalesce((SELECT CAST(max(number) AS INTEGER) + 1 FROM attempts WHERE dice = ?), 0), "
            "(SELECT count(*) FROM pairs WHERE id = ?))",
            (dice, identity),
        ).fetchone()
        insert(db, "attempts", {"pair": identity, "number": number, "dice": dice, "stored": 0})
        return replace(pair, attempt=number)

    def attempts(self) -> dict[str, int]:
        """Returns pair id -> number of the attempt that its stored games belong to, if that is not 0."""
        with self.explained() as db:
            query = "SELECT pair, number FROM attempts WHERE stored AND number > 0"
            return dict(db.execute(query).fetchall()) if has_table(db, "attempts") else {}

    # Writing games

    def save(self, job: Job, record: PairRecord) -> None:
        """Stores a finished pair, completely or not at all."""
        names = job.names
        [pair] = job.pair_ids([record.pair])
        voided = [[names[agent], fault.kind, fault.message] for agent, fault in record.voided]
        row = {
            "id": pair,
            "context": job.context,
            "game": job.game.name,
            "seed": job.seed,
            "number": record.pair.number,
            "start": json.dumps(job.starts[record.pair.start]),
            "voided": json.dumps(voided),
            "checksum": "",
        }
        with self.saving() as db:
            insert(db, "pairs", row)
            games = [self._save_game(job, pair, game) for game in record.games]
            where = f"games.id IN ({', '.join('?' * len(games))})"
            [stored] = raw_pairs(db, where, *games)
            db.execute("UPDATE pairs SET checksum = ? WHERE id = ?", (stored.digest(), pair))
            if not job.shares_dice(record.pair.agents):
                db.execute(ATTEMPTS)
                number = record.pair.attempt
                db.execute("UPDATE attempts SET stored = (number = ?) WHERE pair = ?", (number, pair))

    def _save_game(self, job: Job, pair: str, game: GameRecord) -> str:
        """Stores a game of a pair and returns its id."""
        names = [job.names[agent] for agent in game.agents]
        identity = content_key(pair, *names)
        limit = None if game.fault is None else self._limit_of(game.fault.kind)
        about = {"id": identity, "pair": pair, "context": job.context}
        insert(self.connection, "games", about | row_of(game, names, limit))
        insert(self.connection, "records", {"game": identity, "moves": packed(game, names)})
        if job.luck_identity is not None and game.fault is None and is_measured(game.luck):
            self.save_luck(job, identity, game.luck)
        return identity

    def save_luck(self, job: Job, game: str, luck: Luck) -> None:
        """Stores the luck in a game by the job's evaluator."""
        row = checked(game=game, evaluator=job.luck_identity, value=stored_luck(luck))
        insert(self.connection, "luck", row)

    def _limit_of(self, kind: str) -> float | None:
        return None if self._limits is None else self._limits.of_fault(kind)

    def is_by_limits(self, row: StoredRow) -> bool:
        """Returns whether a game was not forfeited, or was forfeited by a limit that is still the same."""
        fault = row.outcome.fault
        return fault is None or row.fault_limit == self._limit_of(fault.kind)

    # Reading games

    def raw_rows(self, where: str = "TRUE", *parameters: Any) -> sqlite3.Cursor:
        """Returns rows for `StoredRow.of` of games that satisfy a condition; use it within `explained`."""
        cursor = self.connection.cursor()
        cursor.row_factory = sqlite3.Row
        return cursor.execute(f"{QUERY} WHERE {where} ORDER BY games.rowid", parameters)

    def rows(self, where: str = "TRUE", *parameters: Any) -> Iterator[StoredRow]:
        """Yields the games that satisfy an SQL condition, with their luck, in the order they were stored."""
        self.check()
        with self.explained():
            for row in self.raw_rows(where, *parameters):
                yield self._decoded(row)

    def _decoded(self, row: sqlite3.Row) -> StoredRow:
        query = "SELECT evaluator, value FROM luck WHERE game = ? ORDER BY evaluator"
        found = self.connection.execute(query, (row["id"],))
        return StoredRow.of(row, {evaluator: luck_from(value) for evaluator, value in found})

    def games(self) -> Iterator[StoredGame]:
        """Yields every game, in the order they were stored."""
        with self.explained():
            for row in self.rows():
                yield row.played

    def game(self, identity: str) -> StoredGame:
        """Returns the game with this id, or with the only id that begins with it.

        Raises StarspielError if there is no such game, several, or its pair is damaged.
        """
        with self.explained():
            return self.row(identity).played

    def row(self, identity: str) -> StoredRow:
        """Returns the stored row of a game, found as by `game`; use it within `explained`."""
        near = "games.id IN (SELECT id FROM games WHERE id >= ? AND id < ? LIMIT 2)"
        rows = list(self.raw_rows(near, identity, identity + "g"))
        if len(rows) == 1:
            [row] = rows
            # Selects by the context because it has an index.
            where = "games.context = (SELECT context FROM games WHERE id = ?1) AND games.pair = ?2"
            [pair] = raw_pairs(self.connection, where, row["id"], row["pair"])
            if said := pair.wrong:
                raise StarspielError(
                    f"the store {self.path} is damaged: game {row['id']} is of a pair that {said}: {pair}."
                )
            return self._decoded(row)
        if rows:
            raise StarspielError(f"more than one game's id begins with {identity!r}; give more of it.")
        known = [row["id"] for row in self.raw_rows("games.id IN (SELECT id FROM games LIMIT 20)")]
        if not known:
            raise StarspielError(f"the store {self.path} holds no games.")
        raise StarspielError(
            f"the store {self.path} has no game {identity!r}.{did_you_mean(identity, known)} "
            "`starspiel export` lists all ids."
        )

    def values(self, query: str, *parameters: Any) -> list[Any]:
        """Returns the first column of the rows that a query finds."""
        with self.explained() as db:
            return [row[0] for row in db.execute(query, parameters)]

    def evaluators(self) -> list[str]:
        """Returns the names of the evaluators for which luck is stored."""
        self.check()
        return self.values("SELECT DISTINCT evaluator FROM luck ORDER BY evaluator")

    def seats(self) -> int:
        """Returns the maximum number of seats of its games; at least 2."""
        self.check()
        query = (
            "SELECT moves FROM records WHERE game IN (SELECT min(games.id) FROM games JOIN pairs "
            "ON pairs.id = games.pair GROUP BY pairs.game)"
        )
        with self.explained():
            return max((2 + len(other_seats(moves)) for moves in self.values(query)), default=2)

    def count(self) -> int:
        """Returns the number of stored pairs."""
        [count] = self.values("SELECT count(*) FROM pairs")
        return int(count)

    def units(self) -> str:
        """Returns what it contains: "pairs", "games" of one player, "blocks" of more, or several of these."""
        seats = "SELECT DISTINCT min(games, 3) FROM (SELECT count(*) AS games FROM games GROUP BY pair)"
        return " and ".join(map(units, sorted(self.values(seats)))) or "pairs"
