"""`starspiel train`: one JSON object, progress on stderr, one line on errors."""

import json

GAME = "einstein_wurfelt_nicht"


def test_json_and_a_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("train", GAME, "--games", "40", "--hidden", "8", "--threads", "1", "--json")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert answer["file"] == f"{GAME}.net.npz"
    assert answer["games"] == 40
    assert (tmp_path / answer["curve"]).is_file()


def test_words(run, tmp_path):
    code, out, err = run(
        "train", GAME, "--minutes", "0.05", "--hidden", "8,4", "-o", str(tmp_path / "a.npz"), "--threads", "1"
    )
    assert code == 0
    assert "games/s" in err
    assert "net(file=" in out


def test_a_name_that_no_spec_can_hold(run, tmp_path):
    given = ["tic_tac_toe", "--games", "2", "--hidden", "2", "--threads", "1", "-o"]
    code, out, _ = run("train", *given, str(tmp_path / "x,y).npz"))
    assert code == 0
    assert "rename it" in out
    assert "play it with" not in out
