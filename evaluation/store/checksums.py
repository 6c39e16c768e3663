"""Computes and checks checksums of a store's rows, which detect damage that SQLite does not."""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from starspiel.envs.text import printable
from starspiel.evaluation.play.record import impossible
from starspiel.evaluation.store.rows import has_others, other_seats
from starspiel.evaluation.store.tables import columns

#: The size of stored checksums, in bytes.
_BYTES = 8
#: The maximum number of damaged pairs, and of other kinds of damage, that a message names.
_NAMED = 5
_MISMATCH = "does not match its checksum"
_OWN, _GAME = columns("pairs"), columns("games")
_QUERY = (
    f"SELECT games.pair, pairs.checksum, {', '.join(f'pairs.{name}' for name in _OWN)}, "
    f"{', '.join(f'games.{name}' for name in _GAME)}, records.moves FROM games "
    "LEFT JOIN pairs ON pairs.id = games.pair LEFT JOIN records ON records.game = games.id "
    "WHERE {} ORDER BY games.rowid"
)


def checksum(*values: Any) -> str:
    """Returns a hash of the values as hexadecimal digits; text has the same hash as its bytes in UTF-8."""
    raw = [bytearray(each.encode()) if isinstance(each, str) else each for each in values]
    return blake2b(repr(raw).encode(errors="surrogatepass"), digest_size=_BYTES).hexdigest()


def checked(**row: Any) -> dict[str, Any]:
    """Returns the row with its checksum added."""
    return row | {"checksum": checksum(*row.values())}


class RawPair(NamedTuple):
    """A pair as stored in the file; text is in bytearrays, because damaged text need not be UTF-8.

    Attributes:
        id: the pair's id according to the rows of its games.
        stored: the stored checksum; None if there is none, or no row for the pair.
        row: the row of the pair, without the checksum.
        games: the row of each game, with its moves at the end.
    """

    id: Any
    stored: Any
    row: tuple[Any, ...]
    games: tuple[tuple[Any, ...], ...]

    def digest(self) -> str:
        """Returns the checksum that it should have: a hash of its row, its games and their moves."""
        return checksum(self.row, *sorted(self.games, key=repr))

    @property
    def wrong(self) -> str | None:
        """A description of its damage, as the end of "a pair that …"; None if it is sound."""
        if self.stored is None:  # Without a checksum, only missing values can be detected.
            if None in self.row or any(game[-1] is None for game in self.games):
                return "is incomplete"
        elif self.stored != self.digest().encode():
            return _MISMATCH
        for game in self.games:
            held = dict(zip(_GAME, game, strict=False))
            if has_others(game[-1]):
                continue  # not a zero-sum game of two players, so returns may have any sum
            returns = [held[name] for name in ("return0", "return1") if held[name] is not None]
            known = held["fault_seat"] is None and all(type(value) is float for value in returns)
            if known and (said := impossible(returns, total=0.0)):
                return f"has {said}"
        return None

    def __str__(self) -> str:
        """Returns the pair's id, number and agents, as far as they can be read."""
        held = dict(zip(_GAME, self.games[0], strict=False))
        agents = [_text(held[seat]) for seat in ("seat0", "seat1") if held[seat] is not None]
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            agents += [printable(other.agent) for other in other_seats(self.games[0][-1])]
        number = _text(self.row[_OWN.index("number")])
        return f"{_text(self.id)} (number {number}, {' against '.join(agents)})"


def _text(value: Any) -> str:
    return printable(value.decode(errors="replace") if isinstance(value, bytes | bytearray) else str(value))


def raw_rows(db: sqlite3.Connection, query: str, *parameters: Any) -> Iterator[Any]:
    """Yields the rows of a query, with text as bytearrays, which distinguishes it from BLOBs."""
    before, db.text_factory = db.text_factory, bytearray
    try:
        yield from db.execute(query, parameters)
    finally:
        db.text_factory = before


def raw_pairs(db: sqlite3.Connection, where: str = "TRUE", *parameters: Any) -> Iterator[RawPair]:
    """Yields the pairs whose games satisfy an SQL condition, in the order they were stored."""
    first_game = 2 + len(_OWN)
    rows = raw_rows(db, _QUERY.format(where), *parameters)
    for pair, its_rows in groupby(rows, key=lambda row: row[0]):
        first, *others = its_rows
        games = tuple([row[first_game:] for row in (first, *others)])
        yield RawPair(pair, first[1], first[2:first_game], games)


def damage(db: sqlite3.Connection) -> str:
    """Describes the damage that SQLite and the checksums detect in a store; "" if there is none."""
    pairs, others = [], []
    if (found := db.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
        others.append(f"pages of it are broken ({' '.join(str(found).split())})")
    for pair in raw_pairs(db):
        if (said := pair.wrong) == _MISMATCH:
            pairs.append(str(pair))
        elif said:
            others.append(f"pair {pair} {said}")
    [lost] = db.execute("SELECT count(*) FROM pairs WHERE id NOT IN (SELECT pair FROM games)").fetchone()
    counts = {"pairs have lost their games": lost}
    for table in ("luck", "runs"):
        rows = raw_rows(db, f"SELECT * FROM {table}")
        counts[f"rows of {table} do not match their checksums"] = sum(
            checksum(*row[:-1]).encode() != row[-1] for row in rows
        )
    others += [f"{count} {what}" for what, count in counts.items() if count]
    more = f", and {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else ""
    one = len(pairs) == 1
    said = f"1 pair {_MISMATCH}" if one else f"{len(pairs)} pairs do not match theirs"
    named = [f"{said}: {', '.join(pairs[:_NAMED])}{more}"] if pairs else []
    rest = [f"{len(others) - _NAMED} more things"] if len(others) > _NAMED else []
    return ", and ".join([*named, *others[:_NAMED], *rest])
