"""Stored games come out again: move by move, and as CSV and JSON lines."""

import csv
import io
import json
import os
import sqlite3
import sys
from math import isnan

import pytest
from support.checksums import with_sound_checksums
from support.commands import run

from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.report import write_report
from starspiel.evaluation.store.replay import events
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"
AGENTS = ["star2(depth=2)", "mcts(simulations=20)", "random"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "a.db"
    tournament(PIG, AGENTS, pairs=2, store=path)
    return path


def test_every_event_with_what_the_mover_thought(path):
    with Store(path, read_only=True) as store:
        games = list(store.games())
    assert len(games) == 12
    for game in games:
        walked = list(events(game))
        assert [event.action for event in walked] == list(game.record.actions)
        assert walked[-1].after.is_terminal()
        for event in walked:
            if event.player == CHANCE:
                assert event.seconds is event.nodes is event.value is None
                continue
            name = game.names[event.player]
            assert event.seconds >= 0
            assert (event.nodes is None) == (name == "random")
            if name == "mcts(simulations=20)":
                assert 1 <= event.nodes <= 20  # fewer if the best move is proven
            if name == "star2(depth=2)":
                assert event.nodes == 0 or -1 <= event.value <= 1


def test_replay_at_the_terminal(path, capsys):
    with Store(path, read_only=True) as store:
        game = next(iter(store.games()))
    code, out, _ = run(capsys, "replay", path, game.id[:12])
    assert code == 0
    assert game.names[0] in out
    assert out.count("rolled ") == sum(event.player == CHANCE for event in events(game))
    winner = game.record.returns.index(1.0)
    assert out.rstrip().endswith(f"Player {winner}, {game.names[winner]}, won.")
    code, out, _ = run(capsys, "replay", path, game.id, "--boards")
    assert out.count("Turn total") == len(game.record.actions)
    code, out, _ = run(capsys, "replay", path, game.id, "--json")
    answer = json.loads(out)
    assert answer["actions"] == list(game.record.actions)
    assert len(answer["names"]) == len(answer["actions"])
    code, out, err = run(capsys, "replay", path, "nothing")
    assert (code, out, err.count("\n")) == (2, "", 1)


class Resigns:
    def step(self, state):
        raise ValueError("I resign")


@pytest.mark.parametrize("more", [[], ["--boards"], ["--html", "page.html"]])
def test_a_game_forfeited_by_its_first_move(more, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tournament(
        "tic_tac_toe",
        {"coward": lambda game, seat, seed: Resigns(), "random": "random"},
        pairs=1,
        store="a.db",
    )
    with Store("a.db", read_only=True) as store:
        [game] = [game for game in store.games() if not game.record.actions]
    code, out, err = run(capsys, "replay", "a.db", game.id, *more)
    assert (code, err) == (0, "")
    shown = (tmp_path / "page.html").read_text() if more[-1:] == ["page.html"] else out
    assert "Forfeited by player 0, coward: raised, ValueError" in shown


def test_without_an_id_the_games_are_listed(path, capsys, tmp_path):
    with Store(path, read_only=True) as store:
        games = list(store.games())
    code, out, _ = run(capsys, "replay", path)
    listed = out.splitlines()
    assert code == 0
    assert [line.split()[0] for line in listed[1:]] == [game.id for game in games]
    assert all(name in line for line, game in zip(listed[1:], games, strict=True) for name in game.names)
    more = tmp_path / "more.db"
    tournament(PIG, ["random", "random2=random"], pairs=12, store=more)
    code, out, _ = run(capsys, "replay", more)
    assert len(out.splitlines()) == 1 + 20 + 1
    code, _, err = run(capsys, "replay", path, "--html", tmp_path / "x.html")
    assert code == 2
    assert "give its id, which" in err


def test_export(path, capsys, tmp_path):
    code, out, _ = run(capsys, "export", path)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert len(rows) == 12
    assert {row["agent_0"] for row in rows} == set(AGENTS)
    assert all(float(row["return_0"]) == -float(row["return_1"]) for row in rows)
    target = tmp_path / "games.jsonl"
    code, out, _ = run(capsys, "export", path, "--format", "jsonl", "-o", target)
    assert (code, out) == (0, "")
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    assert [line["id"] for line in lines] == [row["id"] for row in rows]
    assert all(len(line["actions"]) == int(row["length"]) for line, row in zip(lines, rows, strict=True))
    with Store(path, read_only=True) as store:
        stored = list(store.games())
    for line, row, game in zip(lines, rows, stored, strict=True):
        for seat, (exported, moves) in enumerate(zip(line["moves"], game.record.moves, strict=True)):
            assert exported["nodes"] == list(moves.nodes)
            assert exported["cpu_seconds"] == pytest.approx(list(moves.seconds), abs=6e-8)
            known = [None if isnan(value) else pytest.approx(value, abs=6e-7) for value in moves.values]
            assert exported["values"] == known
            assert int(row[f"moves_{seat}"]) == len(moves.seconds)
            assert float(row[f"cpu_seconds_{seat}"]) == pytest.approx(sum(moves.seconds), abs=1e-6)
            assert row[f"nodes_{seat}"] == (str(sum(moves.nodes)) if moves.nodes else "")
            assert float(row[f"score_{seat}"]) == line["scores"][seat] == game.record.score(seat)
    assert any(None in seat["values"] for line in lines for seat in line["moves"])
    code, out, _ = run(capsys, "export", path, "--format", "runs")
    [about] = map(json.loads, out.splitlines())
    assert list(about["config"]["agents"]) == list(AGENTS)
    assert {"command", "open_spiel", "starspiel", "cores"} <= set(about)
    code, _, err = run(capsys, "export", tmp_path / "none.db")
    assert code == 2
    assert "there is no store" in err


@pytest.fixture
def planted(path, tmp_path, monkeypatch):
    """A store whose games are those of a module in this folder that leaves a file when it is imported."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planted_rules.py").write_text(
        "import pathlib\npathlib.Path('IMPORTED').touch()\n"
        "def make(agent=None):\n    import starspiel\n"
        f"    return starspiel.load_game({PIG!r})\n"
    )
    copy = tmp_path / "planted.db"
    copy.write_bytes(path.read_bytes())
    with sqlite3.connect(copy) as db:
        db.execute("UPDATE pairs SET game = 'planted_rules:make(agent=os:system(command=touch PWNED))'")
        db.execute("UPDATE games SET seat0 = 'planted_rules:make'")
        db.execute("INSERT INTO luck SELECT id, 'planted_rules:make', 0.0, '' FROM games")
        db.execute("UPDATE runs SET config = json_set(config, '$.game', 'planted_rules:make')")
        with_sound_checksums(db)
        game = db.execute("SELECT min(id) FROM games").fetchone()[0]
    db.close()
    yield copy, game
    sys.modules.pop("planted_rules", None)


@pytest.mark.parametrize("more", [[], ["--json"], ["--boards"]])
def test_replaying_imports_nothing_without_consent(planted, capsys, more):
    store, game = planted
    code, out, err = run(capsys, "replay", store, game, *more)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "names 'os:system', 'planted_rules:make', which would be imported" in err
    assert "--trust" in err
    assert not os.path.exists("IMPORTED")
    with Store(store, read_only=True) as opened, pytest.raises(StarspielError, match="trust=True"):
        events(opened.game(game))
    code, _, err = run(capsys, "replay", store, game, *more, "--trust")
    assert code == 0, err
    assert os.path.exists("IMPORTED")
    assert not os.path.exists("PWNED"), "a parameter of a module's game stays text"


def test_listing_exporting_and_reporting_import_nothing(planted, capsys):
    store, game = planted
    for format in ("csv", "jsonl", "runs"):
        code, out, err = run(capsys, "export", store, "--format", format)
        assert code == 0, err
        assert "planted_rules:make" in out
    with Store(store, read_only=True) as opened:
        assert len(list(opened.games())) == len(list(opened.rows())) == 12
        assert opened.game(game).game.startswith("planted_rules:make")
        assert opened.runs()
    with pytest.raises(StarspielError, match=r"differs from what was played: game \w+ .*planted_rules:make"):
        tournament(PIG, AGENTS, pairs=2, store=store)
    code, out, err = run(capsys, "verify", store)
    assert (code, out) == (2, "")
    assert "planted_rules:make', which would be imported" in err
    result = tournament(PIG, AGENTS, pairs=1)
    write_report(result, "r.html", store=store)
    assert not os.path.exists("IMPORTED")
    assert "planted_rules" not in sys.modules
