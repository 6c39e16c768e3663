"""`starspiel export` as typed."""

import os
import subprocess
import sys

import pytest

from starspiel.cli.app import main
from starspiel.evaluation.stored import StoredOutcome
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


def test_an_export_appended_to_its_store_is_refused(store):
    before = store.read_bytes()
    with store.open("ab") as out:
        done = subprocess.run([*STARSPIEL, "export", "a.db"], stdout=out, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"standard output is the store a.db" in done.stderr
    assert store.read_bytes() == before


def test_an_export_that_fails_leaves_the_last_one(store, monkeypatch, capsys):
    def fail(*_):
        raise OSError(28, "No space left on device")

    with open("games.csv", "w") as file:
        file.write("the last one")
    with monkeypatch.context() as broken:
        broken.setattr(StoredOutcome, "names", property(fail))
        assert left_with("a.db", "-o", "games.csv") == 2
    assert "cannot write games.csv: No space left on device" in capsys.readouterr().err
    with open("games.csv") as file:
        assert file.read() == "the last one"
    assert left_with("a.db", "-o", "games.csv") == 0
    with open("games.csv") as file:
        assert len(file.readlines()) == 5
    assert not [name for name in os.listdir() if name.endswith(".part")]


def test_links_and_devices_stay_what_they_are(store):
    os.symlink("games.csv", "link")
    assert left_with("a.db", "-o", "link") == 0
    assert os.path.islink("link")
    with open("games.csv") as file:
        assert len(file.readlines()) == 5
    assert left_with("a.db", "-o", os.devnull) == 0
    assert not os.path.isfile(os.devnull)


@pytest.mark.parametrize(("out", "says"), [(".", "is a folder"), ("none/a.csv", "there is no folder none")])
def test_exports_that_no_file_can_take(store, out, says, capsys):
    assert left_with("a.db", "-o", out) == 2
    assert says in capsys.readouterr().err
