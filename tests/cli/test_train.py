"""`starspiel train`: one JSON object, progress on stderr, one line on errors."""

import json

import pytest

from starspiel.cli.app import main

GAME = "einstein_wurfelt_nicht"


def run(capfd, *arguments):
    with pytest.raises(SystemExit) as caught:
        main(["train", *arguments])
    captured = capfd.readouterr()
    return caught.value.code, captured.out, captured.err


def test_json_and_a_file(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capfd, GAME, "--games", "40", "--hidden", "8", "--threads", "1", "--json")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert answer["file"] == f"{GAME}.net.npz"
    assert answer["games"] == 40
    assert (tmp_path / answer["curve"]).is_file()


def test_words(capfd, tmp_path):
    code, out, err = run(
        capfd, GAME, "--minutes", "0.05", "--hidden", "8,4", "-o", str(tmp_path / "a.npz"), "--threads", "1"
    )
    assert code == 0
    assert "games/s" in err
    assert "net(file=" in out


def test_a_name_that_no_spec_can_hold(capfd, tmp_path):
    given = ["tic_tac_toe", "--games", "2", "--hidden", "2", "--threads", "1", "-o"]
    code, out, _ = run(capfd, *given, str(tmp_path / "x,y).npz"))
    assert code == 0
    assert "rename it" in out
    assert "play it with" not in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([GAME, "--hidden", "8,x"], "--hidden must be whole numbers"),
        ([GAME, "--minutes", "1", "--games", "5"], "not both"),
        ([GAME, "--minutes", "0"], "minutes must be positive"),
        (["2048"], "1 player"),
        (
            [GAME, "--tuples", "small"],
            "networks are trained without tuples; their settings are minutes, games",
        ),
        ([GAME, "-o", "/no/such/folder/x.npz"], "there is no folder"),
    ],
)
def test_what_cannot_be_done(capfd, arguments, says):
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) == 1
