"""Two stores of one tournament become one; others are refused in words, and nothing is written."""

import sqlite3
import sys
from pathlib import Path

import pytest
from support import hostile_engine
from support.checksums import with_sound_checksums
from support.commands import refusal

from starspiel.envs.errors import StarspielError
from starspiel.evaluation import job
from starspiel.evaluation.store.merge import merge
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=10)"
AGENTS = ["random", "greedy"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tournament(PIG, AGENTS, pairs=2, store="a.db")


def records(path):
    with Store(path, read_only=True) as store:
        return {game.id: (game.names, game.record.actions, game.record.returns) for game in store.games()}


def changed(path, statement):
    with sqlite3.connect(path) as db:
        db.execute(statement)
        with_sound_checksums(db)
    db.close()


@pytest.mark.parametrize("output", [None, Path("c.db")])
def test_pairs_of_both(output):
    other = Path("b.db")
    tournament(PIG, AGENTS[::-1], pairs=4, store=other, luck="heuristic")
    changed(other, "DELETE FROM games WHERE pair IN (SELECT id FROM pairs WHERE number = 1)")
    changed(other, "DELETE FROM pairs WHERE number = 1")
    before = other.read_bytes()
    merged = merge([Path("a.db"), other], output)
    assert (merged.pairs, merged.new, merged.skipped) == (4, [2, 2], [])
    assert other.read_bytes() == before
    into = output or Path("a.db")
    whole, played = tournament(PIG, AGENTS, pairs=4, store="whole.db", luck="heuristic"), []
    again = tournament(PIG, AGENTS, pairs=4, store=into, luck="heuristic", on_pair=played.append)
    assert played == []
    assert records(into) == records("whole.db")
    scores = [[(line.agent, line.elo, line.mean) for line in result.standings] for result in (again, whole)]
    assert scores[0] == scores[1]
    assert {file.suffix for file in Path().iterdir()} <= {".db", ".db-shm", ".db-wal"}


def test_parts_by_one_key_make_the_same_as_one_run():
    agents = {"random": "random", "greedy": "greedy"}
    agents["mine"] = f"exec:{sys.executable} -I -S {hostile_engine.__file__}"
    shared = {"game": PIG, "agents": agents, "pairs": 3, "key": "0123456789ABCDEF" * 2, "luck": "heuristic"}
    parts = [Path(f"part{number}.db") for number in (1, 2, 3)]
    for number, path in enumerate(parts, start=1):
        tournament(**shared, part=f"{number}/3", store=path)
    merged = merge(parts, Path("all.db"))
    assert (merged.pairs, merged.new) == (9, [3, 3, 3])
    played = []
    joined = tournament(**shared, store="all.db", on_pair=played.append)
    whole = tournament(**shared, store="whole.db")
    assert played == []
    assert records("all.db") == records("whole.db")
    for found in ("matrix", "matrix_interval", "ratings", "adjusted", "lucks"):
        assert repr(getattr(joined, found)) == repr(getattr(whole, found)), found


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"seed": 2}, "seed is 1 in the one, 2 in the other"),
        ({"agents": ["random", "star2(depth=1)"]}, "agents is .*greedy.* in the one, .*star2"),
        ({"game": "pig(players=2,winscore=11)"}, "game is .*winscore=10.* in the one"),
        ({"clock": 1.0}, "clock is None in the one"),
    ],
)
def test_another_tournament_is_refused(settings, says):
    tournament(**{"game": PIG, "agents": AGENTS, "pairs": 2, "store": "b.db"} | settings)
    before = Path("a.db").read_bytes()
    for into in (None, Path("c.db")):
        with pytest.raises(StarspielError, match=f"not of the same tournament: {says}"):
            merge([Path("a.db"), Path("b.db")], into)
    assert Path("a.db").read_bytes() == before
    assert not Path("c.db").exists()


def test_other_versions_are_refused():
    tournament(PIG, AGENTS, pairs=2, store="b.db")
    changed("b.db", "UPDATE runs SET environment = json_set(environment, '$.open_spiel', '0.9')")
    with pytest.raises(StarspielError, match=r"open_spiel is .* in the one, '0.9' in the other"):
        merge([Path("a.db"), Path("b.db")])


def test_the_same_pair_with_other_results_is_refused(monkeypatch):
    """As from machines on which an agent's seconds allow for different moves."""
    with monkeypatch.context() as other:
        other.setattr(job, "bot_seed", lambda key, seat: 1)
        tournament(PIG, AGENTS, pairs=3, store="b.db")
    before = records("a.db")
    for into in (None, Path("c.db")):
        with pytest.raises(StarspielError, match=r"b.db has pair \w+ \(number 0, .* with other results"):
            merge([Path("a.db"), Path("b.db")], into)
    assert records("a.db") == before
    assert sorted(Path().glob("*")) == [Path("a.db"), Path("b.db")]


def test_paths_that_cannot_be(capsys):
    Path("link.db").symlink_to("a.db")
    for stores, into, says in (
        (["a.db", "link.db"], None, "the same store"),
        (["a.db"], None, "expected two stores"),
        (["a.db", "none.db"], None, "there is no store none.db"),
        (["a.db"], "link.db", "already exists"),
        (["a.db"], "none/c.db", "there is no folder none"),
    ):
        assert says in refusal(capsys, "merge", *stores, *(["--output", into] if into else []))
