"""A store has the tables of a store and nothing else: triggers, views and computed columns are refused."""

import shutil
import sqlite3

import pytest

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.store.merge import merge
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=10)"
AGENTS = ["random", "greedy"]
#: What somebody may add to a store, and how the message names it.
ALTERED = {
    "the trigger favour on games": "CREATE TRIGGER favour AFTER INSERT ON games BEGIN "
    "UPDATE games SET return0 = 1, return1 = -1 WHERE id = NEW.id AND seat0 = 'random'; END",
    "the trigger late on pairs": "CREATE TRIGGER late AFTER UPDATE ON pairs BEGIN DELETE FROM runs; END",
    "the view luckier": "CREATE VIEW luckier AS SELECT * FROM games",
    "the table mine": "CREATE TABLE mine (a)",
    "the index fast on games": "CREATE INDEX fast ON games (abs(return0))",
    "the table games": "ALTER TABLE games ADD COLUMN twice AS (2 * return0)",
    "the table pairs": "ALTER TABLE pairs ADD COLUMN more INTEGER DEFAULT 1",
    "the table luck": "DROP TABLE luck",
    "the index games_by_context on games": "DROP INDEX games_by_context",
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "a.db"
    tournament(PIG, AGENTS, pairs=3, store=path)
    return path


@pytest.mark.parametrize("named", ALTERED)
def test_an_altered_schema_is_refused(path, tmp_path, named):
    copy, mended = tmp_path / "copy.db", tmp_path / "mended.db"
    shutil.copy(path, copy)
    with sqlite3.connect(copy) as db:
        db.execute(ALTERED[named])
    db.close()
    before = copy.read_bytes()
    for read in (
        lambda: Store(copy, read_only=True),
        lambda: tournament(PIG, AGENTS, pairs=4, store=copy),
        lambda: merge([path, copy], mended),
    ):
        with pytest.raises(StarspielError, match=rf"has been altered: {named} .*merge {copy} --salvage"):
            read()
    assert copy.read_bytes() == before
    assert not mended.exists()
    if named != "the table luck":  # which salvaging needs
        assert merge([copy], mended, salvage=True).pairs == 3, "the advice works"
        assert tournament(PIG, AGENTS, pairs=3, store=mended).games == 6


def test_a_store_that_sqlite_has_written_anew_is_the_same(path, tmp_path):
    vacuumed, dumped = tmp_path / "vacuumed.db", tmp_path / "dumped.db"
    with sqlite3.connect(path) as db:
        db.execute("VACUUM INTO ?", (str(vacuumed),))
        script = "\n".join(db.iterdump())
        numbers = [
            (name, db.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("application_id", "user_version")
        ]
    with sqlite3.connect(dumped) as other:
        other.executescript(script)
        for name, number in numbers:
            other.execute(f"PRAGMA {name} = {number}")
    for opened in (db, other):
        opened.close()
    for copy in (vacuumed, dumped):
        with Store(copy, read_only=True) as store:
            store.check()
            assert store.count() == 3
