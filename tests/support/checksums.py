"""For tests that change a store by hand: its checksums are made those of what it holds by then."""

import sqlite3

from starspiel.evaluation.store.checksums import checksum, raw_pairs


def with_sound_checksums(db: sqlite3.Connection) -> None:
    """Gives every pair, run and luck of a store the checksum that fits it."""
    pairs = [(pair.digest(), pair.id.decode()) for pair in raw_pairs(db)]
    db.executemany("UPDATE pairs SET checksum = ? WHERE id = ?", pairs)
    for table, key in (("runs", ("id",)), ("luck", ("game", "evaluator"))):
        for row in db.execute(f"SELECT * FROM {table}").fetchall():
            where = " AND ".join(f"{name} = ?" for name in key)
            db.execute(
                f"UPDATE {table} SET checksum = ? WHERE {where}", (checksum(*row[:3]), *row[: len(key)])
            )
