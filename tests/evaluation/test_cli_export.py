"""`starspiel export` as typed."""

import csv
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from support.checksums import with_sound_checksums

from starspiel.cli.app import main
from starspiel.envs.scoring import points_of
from starspiel.evaluation.report.page import page
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

STARSPIEL = [sys.executable, "-c", "from starspiel.cli import main; main()"]
PIG = "pig(players=2,winscore=20)"


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store with four games, in a folder of its own that is the current one."""
    monkeypatch.chdir(tmp_path)
    tournament(PIG, ["random", "greedy"], pairs=2, store="a.db")
    return tmp_path / "a.db"


def left_with(*arguments):
    with pytest.raises(SystemExit) as left:
        main(["export", *arguments])
    return left.value.code


@pytest.mark.parametrize("out", ["a.db", "../{here}/a.db", "link", "hard", "a.db-wal"])
def test_an_export_over_its_store_is_refused(store, out, capsys):
    os.symlink("a.db", "link")
    os.link("a.db", "hard")
    out = out.format(here=store.parent.name)
    before = store.read_bytes()
    for given in ("a.db", "link"):
        for format in ("csv", "jsonl", "runs"):
            code = left_with(given, "--format", format, "-o", out)
            err = capsys.readouterr().err
            assert code == 2
            assert err.count("\n") == 1
            assert f"the export {out} would replace the store" in err
            assert store.read_bytes() == before


def test_an_export_over_another_store_a_ladder_or_a_network_is_refused(store, capsys):
    with pytest.raises(SystemExit):
        main(["ladder", "lad", "add", "random", "greedy", "--game", PIG])
    capsys.readouterr()
    network = files("starspiel.agents.evaluators.networks") / "knucklebones.npz"
    for name, content in (
        ("other.db", store.read_bytes()),
        ("net.npz", network.read_bytes()),
        ("lad/ladder.json", Path("lad/ladder.json").read_bytes()),
    ):
        Path(name).write_bytes(content)
        assert left_with("a.db", "-o", name) == 2
        assert f"the export {name} would replace a" in capsys.readouterr().err
        assert Path(name).read_bytes() == content
    Path("old.csv").write_text("another export", encoding="utf-8")
    assert left_with("a.db", "-o", "old.csv") == 0


def rows(path="a.db"):
    """The games of the CSV file, as dictionaries."""
    assert left_with(path, "-o", "games.csv") == 0
    with open("games.csv", newline="") as file:
        return list(csv.DictReader(file))


def objects(path="a.db"):
    """The games of the JSON lines."""
    assert left_with(path, "--format", "jsonl", "-o", "games.jsonl") == 0
    with open("games.jsonl") as file:
        return [json.loads(line) for line in file]


def test_adjusted_means_can_be_recomputed(store, capsys):
    """From every format, by every evaluator, to the last digit of what the tournament said."""
    agents = ["random", "greedy"]
    for luck, name in (("heuristic", "heuristic(pig)"), ("zero", "zero")):
        shown = tournament(PIG, agents, pairs=20, store=store, luck=luck).adjusted[0]
        csv_rows, lines = rows(), objects()
        assert len(csv_rows) == len(lines) == 40
        sums = [0.0, 0.0]
        for row, line in zip(csv_rows, lines, strict=True):
            assert row["id"] == line["id"]
            assert float(row[f"luck_{name}"]) == line["luck"][name]
            own = 1.0 if row["agent_0"] == "random" else -1.0
            sums[0] += own * float(row["return_0"])
            sums[1] += own * (float(row["return_0"]) - line["luck"][name])
        assert sums[0] / 40 == pytest.approx(shown.raw, abs=1e-12)
        assert sums[1] / 40 == pytest.approx(shown.adjusted, abs=1e-12)
    assert set(lines[0]["luck"]) == {"heuristic(pig)", "zero"}
    with pytest.raises(SystemExit):
        main(["replay", "a.db", lines[0]["id"], "--json"])
    assert json.loads(capsys.readouterr().out)["luck"] == lines[0]["luck"]


def test_a_listing_of_several_games_names_them_and_gives_the_points_of_each(store, capsys):
    solo = "yacht(players=1)"
    for game in (PIG, solo):
        tournament(game, ["random", "greedy"], pairs=1, store=store)
    returns = [float(row["return_0"]) for row in rows() if row["agent_1"] == ""]
    points = [f"{paid * points_of(solo):g}" for paid in returns]
    with pytest.raises(SystemExit):
        main(["replay", "a.db"])
    head, *lines = (re.split(r" {2,}", line.strip()) for line in capsys.readouterr().out.splitlines())
    assert head == ["id", "game", "players", "number", "result", "events"]
    assert [line[4] for line in lines if line[1] == solo] == points
    assert {line[4] for line in lines if line[1] == PIG} == {"1, -1", "-1, 1"}


def test_faults_and_overruns_are_in_both_formats(store):
    class Broken:
        def step(self, state):
            raise ValueError('no "idea", sorry')

    class Slow:
        def step(self, state):
            time.sleep(0.002)
            return state.legal_actions()[-1]

    agents = {"broken": lambda *_: Broken(), "slow": lambda *_: Slow(), "random": "random"}
    tournament(PIG, agents, pairs=1, store="b.db", luck="heuristic", clock=0.0005)
    games = list(zip(rows("b.db"), objects("b.db"), strict=True))
    assert len(games) == 6
    for row, game in games:
        if "broken" in game["agents"]:
            assert game["fault"]["message"] == row["fault_message"] == 'ValueError: no "idea", sorry'
            assert row["fault_kind"] == "raised"
            assert (row["luck_heuristic(pig)"], game["luck"]) == ("", {})
        else:
            assert (row["fault_message"], game["fault"]) == ("", None)
            seat = game["agents"].index("slow")
            assert int(row[f"wall_overruns_{seat}"]) == game["moves"][seat]["wall_overruns"] > 0
            assert int(row[f"overruns_{seat}"]) == game["moves"][seat]["overruns"]


def test_an_export_appended_to_its_store_is_refused(store):
    before = store.read_bytes()
    with store.open("ab") as out:
        done = subprocess.run([*STARSPIEL, "export", "a.db"], stdout=out, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"standard output is the store a.db" in done.stderr
    assert store.read_bytes() == before


def test_links_and_devices_stay_what_they_are(store):
    os.symlink("games.csv", "link")
    assert left_with("a.db", "-o", "link") == 0
    assert os.path.islink("link")
    with open("games.csv") as file:
        assert len(file.readlines()) == 5
    assert left_with("a.db", "-o", os.devnull) == 0
    assert not os.path.isfile(os.devnull)
    piped = subprocess.run(
        [*STARSPIEL, "export", "a.db", "-o", "/dev/stdout"], capture_output=True, check=True
    )
    with open("games.csv", "rb") as file:
        assert piped.stdout == file.read()


@pytest.mark.parametrize(("out", "says"), [(".", "is a folder"), ("none/a.csv", "there is no folder none")])
def test_exports_that_no_file_can_take(store, out, says, capsys):
    assert left_with("a.db", "-o", out) == 2
    assert says in capsys.readouterr().err


#: A name that colours a terminal, turns the order of reading, and is a formula.
BENT = "=1+1 \x1b[31mred\u202e"


def test_names_and_messages_bend_nothing(store, capsys):
    class Broken:
        def step(self, state):
            raise ValueError("\x1b]0;title\x07 \u2066isolated")

    played = tournament(PIG, {"=1+1": "random", "-1": lambda *_: Broken()}, pairs=1, store="b.db")
    with sqlite3.connect("b.db") as db:  # No tournament takes such a name: the file is somebody else's.
        for seat in ("seat0", "seat1"):
            db.execute(f"UPDATE games SET {seat} = ? WHERE {seat} = '=1+1'", (BENT,))
        with_sound_checksums(db)
    db.close()
    result = replace(played, agents=(BENT, "-1"))
    [row, *_], [game, *_] = rows("b.db"), objects("b.db")
    shown = [str(result), page(result), Path("games.csv").read_text(), Path("games.jsonl").read_text()]
    with pytest.raises(SystemExit):
        main(["replay", "b.db", game["id"]])
    shown.append(capsys.readouterr().out)
    for text in shown:
        assert not set("\x1b\x07\u202e\u2066") & set(text)
        assert r"\x1b" in text or r"\u001b" in text
    assert {row["agent_0"], row["agent_1"]} == {r"'=1+1 \x1b[31mred\u202e", "'-1"}
    assert row["fault_message"] == r"ValueError: \x1b]0;title\x07 \u2066isolated"
    assert float(row["return_0"]) == -float(row["return_1"])
    assert set(game["agents"]) == {BENT, "-1"}, "JSON reads back as it was"
    assert r"=1+1 \x1b[31mred\u202e" in shown[0], "whole, not cut off"


def test_a_game_is_written_as_a_page_and_over_nothing_that_is_read(store, capsys):
    with Store(store, read_only=True) as opened:
        game = next(iter(opened.games())).id
    for arguments, code in [
        (["--html", "game.html"], None),
        (["--html", "a.db"], 2),
        (["--reference", "star2(depth=1)"], 2),
        (["--html", "game.html", "--json"], 2),
        (["--html", "game.html", "--reference", "random"], 2),
    ]:
        with pytest.raises(SystemExit) as left:
            main(["replay", "a.db", game[:6], *arguments])
        assert (left.value.code or None) == code, arguments
    assert "would replace the store" in capsys.readouterr().err
    assert game in (store.parent / "game.html").read_text(encoding="utf-8")
