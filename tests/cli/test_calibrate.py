"""`starspiel calibrate`: what it prints, its picture, and its exit codes."""

import json
from dataclasses import replace

import pytest

from starspiel.agents.evaluators.network_file import read_network
from starspiel.agents.evaluators.shipped import shipped_network
from starspiel.agents.roster import make_bot
from starspiel.agents.solve import solve
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.load import load_game

PIG = "pig(winscore=12)"


def test_exact_values_are_linear_and_the_zero_evaluator_is_not(run, tmp_path):
    truth = f"solution(file={solve(PIG).save(tmp_path / 'pig.npz')})"
    given = (PIG, "--positions", "40", "--truth", truth, "--require")
    picture = tmp_path / "picture.svg"
    code, out, _ = run("calibrate", truth, *given, "--json", "--plot", str(picture))
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
    code, out, _ = run("calibrate", "zero", *given)
    assert code == 1
    assert "zero in pig(winscore=12): constant" in out


def test_games_are_played_where_no_truth_is_given(run):
    code, out, err = run("calibrate", "heuristic", PIG, "--positions", "20", "--games", "2")
    assert (code, err) == (0, "")
    for word in ("slope", "offset", "bend", "scatter", "2 games of greedy from each"):
        assert word in out


def test_json_has_no_numbers_that_json_has_not(run, tmp_path, monkeypatch):
    (tmp_path / "one_of_all.py").write_text(
        "seen = []\n\ndef evaluator(game):\n    return lambda s: float(seen.append(s) or len(seen) == 5)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    code, out, _ = run(
        "calibrate", "one_of_all:evaluator", PIG, "--positions", "20", "--games", "1", "--json"
    )
    answer = json.loads(out)
    assert (code, answer["verdict"]) == (0, "undecided")
    assert answer["fit"]["slope"]["low"] is None


def test_depth_fits_are_added_to_the_file_of_a_network(run, tmp_path):
    shipped = shipped_network(load_game("einstein_wurfelt_nicht"))
    file = tmp_path / "own.npz"
    replace(shipped, depth_fits=()).save(file)
    spec = f"net(file={file})"
    search = "star2(depth=4,evaluator=" + spec + ",probcut=2)"
    with pytest.raises(UnsupportedGameError, match="--depth-fits"):
        make_bot(search, load_game("einstein_wurfelt_nicht"))
    given = ("calibrate", spec, "einstein_wurfelt_nicht", "--depth-fits", "3", "--positions", "20")
    code, out, err = run(*given)
    assert (code, err) == (0, "")
    assert "value at 3 plies" in out
    assert search in out.replace("\n", "")
    fits = read_network(file).depth_fits
    assert [fit.slope for fit in fits] == pytest.approx([1, 1], abs=0.15)
    make_bot(search, load_game("einstein_wurfelt_nicht"))
    code, out, _ = run(*given, "--seed", "2", "--json")
    assert [fit["error"] for fit in json.loads(out)["depth_fits"]] == pytest.approx(
        [fit.error for fit in fits], rel=0.8
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("heuristic", PIG), "net(file=mine.npz)"),
        (("net(file=own.npz)", "backgammon"), "is a network for backgammon(scoring_type=full_scoring)"),
        (("net(file=own.npz)", "backgammon(scoring_type=full_scoring)", "--games", "2"), "supports only"),
    ],
)
def test_depth_fits_are_refused_for_what_they_are_not_of(run, tmp_path, monkeypatch, given, message):
    monkeypatch.chdir(tmp_path)
    shipped_network(load_game("backgammon(scoring_type=full_scoring)")).save("own.npz")
    code, _, err = run("calibrate", *given, "--depth-fits", "3")
    assert code == 2
    assert message in " ".join(err.split())
