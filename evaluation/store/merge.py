"""Two stores of one tournament become one; one store is copied, without what is damaged if so wished."""

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.text import printable
from starspiel.evaluation.environment import versions
from starspiel.evaluation.outputs import unwritable
from starspiel.evaluation.store.checksums import (
    RawPair,
    checksum,
    raw,
    raw_pairs,
    readable_pairs,
)
from starspiel.evaluation.store.file import DamagedStoreError, StoreFile, put
from starspiel.evaluation.store.schema import ATTEMPTS, GAMES
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.verify import check_sample

#: The settings that make a tournament what it is. Others (pairs, workers, luck, …) may differ.
_SETTINGS = ("game", "seed", "agents", "format", "starts", "clock", "sprt", "limits", "common_dice")
#: What a game's result is, by column; what its moves cost may differ.
_RESULT = ("return0", "return1", "length", "actions_key", "fault_seat", "fault_kind")
#: What the file of a database begins with.
_SQLITE = b"SQLite format 3"
#: How many times what is left of a file may be missing of it; more than that, its header is damaged, too.
_MOST_MISSING = 1000
_IN_GAME = {name: place for place, name in enumerate(GAMES)}


@dataclass
class Merged:
    """What a merge has done.

    Attributes:
        pairs: pairs in the store that it made.
        new: pairs that each of the stores brought, in their order, and none before it had.
        skipped: what was left out as damaged, in words.
        compared: games of all stores, drawn at random, that were played again by their rules and dice.
    """

    pairs: int = 0
    new: list[int] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    compared: int = 0


def merge(stores: Sequence[Path], output: Path | None = None, *, salvage: bool = False) -> Merged:
    """Puts all pairs of the stores into `output`, which must not be there yet, or into the first of them.

    With `salvage`, what is damaged is left out; it needs an `output`, for nothing is written into a damaged
    file. A store of the version without checksums is read as well, and its copy has them.

    Raises StarspielError where the stores are not of one tournament, where they hold the same pair with other
    results, where one is damaged, or where a game of some that are compared is not what was played; nothing
    is then written.
    """
    _check_paths(stores, output, salvage)
    merged = Merged()
    with ExitStack() as stack:
        sources = [stack.enter_context(_Source.opened(path, salvage)) for path in stores]
        for other in sources[1:]:
            _check_same_tournament(sources[0], other)
        if not salvage:
            merged.compared = sum(map(_compared, stores))
        if output is None:
            # Before it is opened for writing, the check of it as a source is over.
            into = stack.enter_context(Store(stores[0]))
            merged.new.append(into.count())
            sources = sources[1:]
        else:
            into = stack.enter_context(_made_aside(output))
        with into.transaction() as db:
            for source in sources:
                merged.new.append(_copy(source, db))
                merged.skipped += source.skipped
        merged.pairs = into.count()
    return merged


def _check_paths(stores: Sequence[Path], output: Path | None, salvage: bool) -> None:
    for place, path in enumerate(stores):
        if not path.exists():
            raise StarspielError(f"there is no store {path}.")
        if any(path.samefile(other) for other in stores[:place]):
            raise StarspielError(f"{path} is the same store as one before it; name two.")
    if output is None:
        if len(stores) < 2:
            raise StarspielError("expected two stores, or one and --output for its copy.")
        if salvage:
            raise StarspielError(
                "--salvage needs --output: nothing is written into a store that may be damaged."
            )
    elif output.exists() or output.is_symlink():
        raise StarspielError(f"{output} is there already; name a file that is not.")
    elif not output.parent.is_dir():
        raise StarspielError(f"there is no folder {output.parent} for the store {output}.")


def _compared(path: Path) -> int:
    """How many of its games are found to be what was played. Raises StarspielError where one is not."""
    with Store(path, read_only=True) as store:
        return check_sample(store)


@contextmanager
def salvaged(path: Path) -> Iterator[tuple[Store, Merged]]:
    """A copy of what is sound in a store, for as long as it is looked at, and what was left out of it."""
    with tempfile.TemporaryDirectory(prefix="starspiel-") as folder:
        copy = Path(folder) / "salvaged.db"
        merged = merge([path], copy, salvage=True)
        with Store(copy, read_only=True) as store:
            yield store, merged


@contextmanager
def _made_aside(output: Path) -> Iterator[Store]:
    """A new store that gets its name when all is written, and leaves nothing where that fails."""
    try:
        made = tempfile.TemporaryDirectory(prefix=".starspiel-", dir=output.parent)
    except OSError as error:
        raise unwritable("the store", output, error) from None
    with made as folder:
        aside = Path(folder) / "merged.db"
        with Store(aside) as store:
            yield store
        if not put(aside, output):
            raise StarspielError(
                f"{output} is there by now, made by somebody else; nothing was written to it."
            )


class _Source:
    """A store that is read from, as it lies in its file."""

    def __init__(self, file: StoreFile, salvage: bool) -> None:
        self.path = file.path
        self.file = file
        self.salvage = salvage
        self.skipped: list[str] = []
        self.runs = list(self._rows("runs", 3))
        self.tournaments = [run for row in self.runs if (run := _determined(*row[1:])) is not None]

    @classmethod
    @contextmanager
    def opened(cls, path: Path, salvage: bool) -> "Iterator[_Source]":
        if not salvage:
            with Store(path, read_only=True) as store:
                store.check()
        with _with_all_its_pages(path) if salvage else nullcontext(path) as whole:
            try:
                file = StoreFile(whole, read_only=True, any_schema=salvage)
            except StarspielError as error:
                if whole == path and not isinstance(error, DamagedStoreError):
                    raise
                raise StarspielError(
                    f"nothing can be saved of {path}: what all in it is found by is broken."
                ) from None
            file.path = path
            try:
                yield cls(file, salvage)
            finally:
                file.close()

    def pairs(self) -> Iterator[RawPair]:
        """The pairs that are sound, or all where there are no checksums."""
        db, checked = self.file.connection, self.file.has_checksums
        # Game by game where pages are broken: a query would end at the first of them.
        broken = self.salvage and _is_broken(db)
        read = readable_pairs if broken else raw_pairs
        sound = 0
        with self._explained(), raw(db):
            for pair in read(db, with_checksums=checked):
                if (pair.is_sound if checked else pair.is_whole) and not pair.impossible:
                    sound += 1
                    yield pair
                elif self.salvage:
                    self.skipped.append(f"pair {pair}")
                else:
                    raise StarspielError(f"the store {self.path} is damaged: pair {pair} is not whole.")
        if broken and not sound:
            raise StarspielError(f"nothing can be saved of {self.path}: no pair of it can be read.")

    def luck(self, known: set[str]) -> Iterator[tuple[Any, ...]]:
        """(game, evaluator, value) of these games."""
        return (row for row in self._rows("luck", 3) if row[0] in known)

    def attempts(self) -> list[tuple[Any, ...]]:
        """What is known of the attempts at its pairs."""
        db = self.file.connection
        with self._explained():
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'attempts'").fetchone():
                return []
            return db.execute("SELECT pair, number, dice, stored FROM attempts").fetchall()

    def _rows(self, table: str, columns: int) -> Iterator[tuple[Any, ...]]:
        """The sound rows of a table, without their checksums."""
        with self._explained(), raw(self.file.connection) as db:
            rows = db.execute(f"SELECT * FROM {table}")
            while row := self._next(rows):
                own = tuple(row[:columns])
                if not self.file.has_checksums or row[columns] == checksum(*own).encode():
                    yield _texts(own)
                elif self.salvage:
                    self.skipped.append(f"a line of {table}")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Within it, what goes wrong with its file is an error that names it, and does not promise twice."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if self.salvage:
                raise StarspielError(
                    f"nothing can be saved of {self.path}: what all in it is found by is broken ({error})."
                ) from None
            with self.file.explained():
                raise

    def _next(self, rows: sqlite3.Cursor) -> Any:
        try:
            return rows.fetchone()
        except sqlite3.DatabaseError:
            if not self.salvage:
                raise
            self.skipped.append("what follows where a page is broken, of runs or luck")
            return None


@contextmanager
def _with_all_its_pages(path: Path) -> Iterator[Path]:
    """The file, or where its end is missing, which SQLite refuses, a copy with empty pages in its place."""
    with path.open("rb") as file:
        header = file.read(100)
    # As SQLite's file format has it: the size of a page, where 1 stands for 65,536, and how many there are.
    page, pages = int.from_bytes(header[16:18]), int.from_bytes(header[28:32])
    size = path.stat().st_size
    missing = (65_536 if page == 1 else page) * pages - size
    logged = path.with_name(f"{path.name}-wal").exists()
    if logged or not header.startswith(_SQLITE) or not 0 < missing < _MOST_MISSING * size:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="starspiel-") as folder:
        copy = Path(folder) / "whole.db"
        shutil.copyfile(path, copy)
        os.truncate(copy, size + missing)
        yield copy


def _is_broken(db: sqlite3.Connection) -> bool:
    try:
        return str(db.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok"
    except sqlite3.DatabaseError:
        return True


def _texts(row: Iterable[Any]) -> tuple[Any, ...]:
    return tuple([value.decode() if isinstance(value, bytearray) else value for value in row])


def _determined(config: str, environment: str) -> dict[str, Any] | None:
    """What makes the games of a run what they are: settings and versions; None where it says nothing."""
    try:
        said, about = json.loads(config), json.loads(environment)
        return {name: said.get(name) for name in _SETTINGS} | {name: about.get(name) for name in versions()}
    except (AttributeError, RecursionError, ValueError):
        return None


def _check_same_tournament(first: _Source, other: _Source) -> None:
    """Raises StarspielError unless all tournaments of one of the stores are also in the other."""
    ours, theirs = first.tournaments, other.tournaments
    if all(each in theirs for each in ours) or all(each in ours for each in theirs):
        return
    mine, its = ours[-1], next(each for each in reversed(theirs) if each not in ours)
    differing = next((name for name in mine if mine[name] != its[name]), "game")
    raise StarspielError(
        f"{first.path} and {other.path} are not of the same tournament: {differing} "
        f"is {printable(shown(mine[differing]))} in the one, {printable(shown(its[differing]))} in the "
        "other. Only stores with the same game, seed, agents, settings and versions can be merged."
    )


def _copy(source: _Source, db: sqlite3.Connection) -> int:
    """Copies what is not there yet, and returns how many pairs that was."""
    new, games = 0, set()
    for pair in source.pairs():
        rows = [_texts(game) for game in pair.games]
        games |= {row[_IN_GAME["id"]] for row in rows}
        if _is_there(source, pair, rows, db):
            continue
        new += 1
        _insert(db, "pairs", [*_texts(pair.row), pair.checksum])
        for row in rows:
            _insert(db, "games", row[:-1])
            _insert(db, "records", (row[_IN_GAME["id"]], row[-1]))
    for row in source.attempts():
        db.execute(ATTEMPTS)
        known = "ON CONFLICT DO UPDATE SET stored = max(stored, excluded.stored)"
        db.execute(f"INSERT INTO attempts VALUES (?, ?, ?, ?) {known}", row)
    for table, its_rows in (("luck", source.luck(games)), ("runs", source.runs)):
        for row in its_rows:
            _insert(db, table, (*row, checksum(*row)), "OR IGNORE")
    return new


def _insert(db: sqlite3.Connection, table: str, row: Sequence[Any], otherwise: str = "") -> None:
    db.execute(f"INSERT {otherwise} INTO {table} VALUES ({', '.join('?' * len(row))})", tuple(row))


def _is_there(source: _Source, pair: RawPair, rows: list[tuple[Any, ...]], db: sqlite3.Connection) -> bool:
    """Whether a pair is there. Raises StarspielError where it is there with other results."""
    results = {row[_IN_GAME["id"]]: tuple(row[_IN_GAME[name]] for name in _RESULT) for row in rows}
    query = f"SELECT id, {', '.join(_RESULT)} FROM games WHERE id IN ({', '.join('?' * len(results))})"
    found = {identity: tuple(result) for identity, *result in db.execute(query, tuple(results))}
    if found and found != results:
        raise StarspielError(
            f"{source.path} has pair {pair} with other results than the stores before it. The same pair "
            "comes out alike wherever it is played, unless agents are limited by seconds or draw "
            "on something of their own: such stores cannot be merged. Nothing was written."
        )
    return bool(found)
