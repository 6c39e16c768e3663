"""Checksums of what a store holds: how damage that SQLite cannot see is noticed.

A pair's checksum is over its row, the rows of its games and their moves. What a run says, and each luck, has
one of its own, as they are written apart from the pairs.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from itertools import groupby
from typing import Any, NamedTuple

from starspiel.envs.text import printable
from starspiel.evaluation.play.record import impossible
from starspiel.evaluation.store.schema import GAMES, PAIRS

#: A pair's own columns, without the checksum.
_OWN = tuple(name for name in PAIRS if name != "checksum")
_FIRST_GAME = 3 + len(_OWN)
_NUMBER, _SEAT_0, _SEAT_1 = _OWN.index("number"), list(GAMES).index("seat0"), list(GAMES).index("seat1")
_RETURNS, _FAULT = [list(GAMES).index(f"return{seat}") for seat in (0, 1)], list(GAMES).index("fault_seat")


def _query(
    where: str, checksum: str, pair: str = "pairs.id = games.pair", moves: str = "records.game = games.id"
) -> str:
    """Every game with its pair and its moves, also where one of those is missing."""
    own = ", ".join(f"pairs.{name}" for name in _OWN)
    games = ", ".join(f"games.{name}" for name in GAMES)
    return (
        f"SELECT games.rowid, games.pair, {checksum}, {own}, {games}, records.moves FROM games "
        f"LEFT JOIN pairs ON {pair} LEFT JOIN records ON {moves} WHERE {where} ORDER BY games.rowid"
    )


#: The size of the checksums on file.
_CHECKSUM_BYTES = 8
#: The tables that a game's pair and its moves are in, and the columns that these are found by.
_FOUND_BY = (("pairs", "id"), ("records", "game"))
#: No game takes fewer bytes, with its moves and its share of its pair.
_LEAST_BYTES = 200


class RawPair(NamedTuple):
    """A pair as its bytes lie in the file: text as bytearrays.

    Attributes:
        id: what its games say that their pair is.
        stored: the checksum on file; None in a store without checksums, and where the pair's row is missing.
        row: the pair's row, without the checksum.
        games: the row of each game, and its moves at the end.
    """

    id: Any
    stored: Any
    row: tuple[Any, ...]
    games: tuple[tuple[Any, ...], ...]

    @property
    def checksum(self) -> str:
        """What its checksum has to be."""
        return self.digest(_CHECKSUM_BYTES)

    def digest(self, size: int) -> str:
        """A hash of so many bytes of its row, its games and their moves."""
        return checksum(self.row, *sorted(self.games, key=repr), size=size)

    @property
    def is_sound(self) -> bool:
        """Whether it is as it was stored."""
        return bool(self.stored == self.checksum.encode())

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing of it and all text is text: what can be said without a checksum."""
        columns = [*self.row, *(game[-1] for game in self.games)]
        texts = [each for row in (self.row, *self.games) for each in row if isinstance(each, bytearray)]
        try:
            return None not in columns and all(text.decode() is not None for text in texts)
        except UnicodeDecodeError:
            return False

    @property
    def impossible(self) -> str | None:
        """What returns of its games no game ends with, in words, or None."""
        for game in self.games:
            returns = [game[column] for column in _RETURNS if game[column] is not None]
            known = game[_FAULT] is None and all(type(value) is float for value in returns)
            if known and (said := impossible(returns)):
                return said
        return None

    @property
    def wrong(self) -> str | None:
        """What is wrong with it, as the end of "a pair that …", or None."""
        if not self.is_sound:
            return "does not match its checksum"
        return f"has {said}" if (said := self.impossible) else None

    def __str__(self) -> str:
        """Which pair it is, as far as that can be read."""
        first = self.games[0]
        agents = " against ".join(
            _text(first[seat]) for seat in (_SEAT_0, _SEAT_1) if first[seat] is not None
        )
        return f"{_text(self.id)} (number {_text(self.row[_NUMBER])}, {agents})"


def _text(value: Any) -> str:
    return printable(value.decode(errors="replace") if isinstance(value, bytes | bytearray) else str(value))


def checksum(*values: Any, size: int = _CHECKSUM_BYTES) -> str:
    """Hexadecimal digits that any change of the values would change; a text is as good as its bytes."""
    raw_values = [bytearray(each.encode()) if isinstance(each, str) else each for each in values]
    return blake2b(repr(raw_values).encode(errors="surrogatepass"), digest_size=size).hexdigest()


@contextmanager
def raw(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Within it, text is read as a bytearray: damaged text need not be UTF-8, and may be a BLOB."""
    before = db.text_factory
    db.text_factory = bytearray
    try:
        yield db
    finally:
        db.text_factory = before


def pair_checksum(db: sqlite3.Connection, games: list[str]) -> str:
    """The checksum of the pair with these games, from what the store holds of it."""
    where = f"games.id IN ({', '.join('?' * len(games))})"
    with raw(db):
        [pair] = _grouped(db.execute(_query(where, "NULL"), games))
        return pair.checksum


def pair_of_game(db: sqlite3.Connection, game: str) -> RawPair:
    """The pair that a game belongs to."""
    where = "games.context = (SELECT context FROM games WHERE id = ?1) AND "
    where += "games.pair = (SELECT pair FROM games WHERE id = ?1)"
    with raw(db):
        [pair] = _grouped(db.execute(_query(where, "pairs.checksum"), (game,)))
        return pair


def raw_pairs(db: sqlite3.Connection, *, with_checksums: bool = True) -> Iterator[RawPair]:
    """Every pair, in the order they were stored; for use within `raw`."""
    return _grouped(db.execute(_query("TRUE", "pairs.checksum" if with_checksums else "NULL")))


def readable_pairs(db: sqlite3.Connection, *, with_checksums: bool = True) -> Iterator[RawPair]:
    """The pairs that can be read of a file with broken pages: row by row, and by no index. Within `raw`."""
    pairs, moves = ({bytes(key): row for row, key in _readable(db, *of)} for of in _FOUND_BY)
    joined = ("games.rowid = ?", "pairs.checksum" if with_checksums else "NULL", "pairs.rowid = ?")
    query = _query(*joined, "records.rowid = ?")

    def rows() -> Iterator[Any]:
        for row, game in _readable(db, "games", "id"):
            with suppress(sqlite3.DatabaseError):
                [(pair,)] = db.execute("SELECT pair FROM games WHERE rowid = ?", (row,))
                yield from db.execute(query, (pairs.get(bytes(pair)), moves.get(bytes(game)), row)).fetchall()

    return _grouped(rows())


def _readable(db: sqlite3.Connection, table: str, column: str) -> Iterator[tuple[int, Any]]:
    """(rowid, value) of the rows of a table that can be read, of those that hold text there."""
    try:
        last = db.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0] or 0
    except sqlite3.DatabaseError:  # The end is broken: as many as the file has room for.
        pages, size = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        last = pages * size // _LEAST_BYTES
    for row in range(1, last + 1):
        with suppress(sqlite3.DatabaseError):
            for (value,) in db.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchall():
                if isinstance(value, bytearray):
                    yield row, value


def _grouped(rows: Any) -> Iterator[RawPair]:
    for pair, its_rows in groupby(rows, key=lambda row: row[1]):
        found = list(its_rows)
        first = found[0]
        games = tuple([tuple(row[_FIRST_GAME:]) for row in found])
        yield RawPair(pair, first[2], tuple(first[3:_FIRST_GAME]), games)


class Damage(NamedTuple):
    """What is wrong with a store, in words; nothing where all is sound.

    Attributes:
        pairs: the pairs that are not as they were stored.
        others: what else is not.
    """

    pairs: list[str]
    others: list[str]

    def __bool__(self) -> bool:
        return bool(self.pairs or self.others)

    def __str__(self) -> str:
        more = [f"{len(self.others) - _NAMED} more things"] if len(self.others) > _NAMED else []
        return ", and ".join([*self._pairs, *self.others[:_NAMED], *more])

    @property
    def _pairs(self) -> list[str]:
        if not self.pairs:
            return []
        more = f", and {len(self.pairs) - _NAMED} more" if len(self.pairs) > _NAMED else ""
        one = len(self.pairs) == 1
        said = "1 pair does not match its checksum" if one else f"{len(self.pairs)} pairs do not match theirs"
        return [f"{said}: {', '.join(self.pairs[:_NAMED])}{more}"]


#: Damaged pairs, and other damage, that a message names.
_NAMED = 5


def damage(db: sqlite3.Connection) -> Damage:
    """Compares the whole store with its checksums. Raises sqlite3.DatabaseError as SQLite does."""
    others = []
    if (found := db.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
        others.append(f"pages of it are broken ({' '.join(str(found).split())})")
    with raw(db):
        pairs = []
        for pair in raw_pairs(db):
            if not pair.is_sound:
                pairs.append(str(pair))
            elif said := pair.impossible:
                others.append(f"pair {pair} has {said}")
        [empty] = db.execute("SELECT count(*) FROM pairs WHERE id NOT IN (SELECT pair FROM games)").fetchone()
        luck = sum(checksum(*row[:-1]).encode() != row[-1] for row in db.execute("SELECT * FROM luck"))
        runs = sum(checksum(*row[:-1]).encode() != row[-1] for row in db.execute("SELECT * FROM runs"))
    for count, what in (
        (empty, "pairs have lost their games"),
        (luck, "lucks do not match their checksums"),
        (runs, "runs do not match their checksums"),
    ):
        if count:
            others.append(f"{count} {what}")
    return Damage(pairs, others)
