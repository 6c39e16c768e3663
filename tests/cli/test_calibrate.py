"""`starspiel calibrate`: what it prints, its picture, and its exit codes."""

import json

import pytest

from starspiel.agents.solve import solve
from starspiel.cli.app import main

PIG = "pig(winscore=12)"


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["calibrate", *arguments])
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


def test_exact_values_are_linear_and_the_zero_evaluator_is_not(capsys, tmp_path):
    truth = f"solution(file={solve(PIG).save(tmp_path / 'pig.npz')})"
    given = (PIG, "--positions", "40", "--truth", truth, "--require")
    picture = tmp_path / "picture.svg"
    code, out, _ = run(capsys, truth, *given, "--json", "--plot", str(picture))
    answer = json.loads(out)
    assert code == 0
    assert (answer["verdict"], answer["linear"], answer["positions"], answer["games"]) == (
        "linear",
        True,
        40,
        0,
    )
    assert answer["fit"]["slope"]["value"] == pytest.approx(1.0)
    assert answer["plot"] == str(picture)
    assert picture.read_text().startswith("<svg")
    code, out, _ = run(capsys, "zero", *given)
    assert code == 1
    assert "zero in pig(winscore=12): constant" in out


def test_games_are_played_where_no_truth_is_given(capsys):
    code, out, err = run(capsys, "heuristic", PIG, "--positions", "20", "--games", "2")
    assert (code, err) == (0, "")
    for word in ("slope", "offset", "bend", "scatter", "2 games of greedy from each"):
        assert word in out


def test_json_has_no_numbers_that_json_has_not(capsys, tmp_path, monkeypatch):
    (tmp_path / "one_of_all.py").write_text(
        "seen = []\n\ndef evaluator(game):\n    return lambda s: float(seen.append(s) or len(seen) == 5)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    code, out, _ = run(capsys, "one_of_all:evaluator", PIG, "--positions", "20", "--games", "1", "--json")
    answer = json.loads(out)
    assert (code, answer["verdict"]) == (0, "undecided")
    assert answer["fit"]["slope"]["low"] is None


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("heuristic", PIG, "--plot", "a.png"), "a plot is written to a .svg file, got 'a.png'"),
        (("heuristic", PIG, "--positions", "3"), "at least 20, got 3"),
        (("heuristics", PIG), "Did you mean 'heuristic'?"),
        (("heuristic", "tic_tac_toe"), "there is no heuristic for tic_tac_toe"),
    ],
)
def test_wrong_use_is_one_line(capsys, arguments, problem):
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert problem in err
