"""`starspiel analyze`, `games`, `agents` and `doctor`: what they print, and one line for each wrong use."""

import json
import re
import subprocess
import sys

import pytest
from open_spiel.python.algorithms import minimax

from starspiel.agents.roster import registered_agents
from starspiel.cli.app import main
from starspiel.envs.load import load_game


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


def test_analyze_prints_one_json_object_with_the_values_of_openspiel(capsys):
    code, out, err = run(
        capsys,
        "analyze", "pig", "--history", "0,3", "--agent", "star2(depth=3,evaluator=zero)", "--json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    answer = json.loads(out)
    state = load_game("pig").new_initial_state().child(0).child(3)
    theirs = {
        str(action): minimax.expectiminimax(state.child(action), 2, lambda _: 0.0, 0)[0]
        for action in state.legal_actions()
    }
    assert answer["action_values"] == pytest.approx(theirs, abs=1e-9)
    assert answer["value"] == pytest.approx(max(theirs.values()), abs=1e-9)
    assert (answer["game"], answer["history"], answer["depth"]) == ("pig", [0, 3], 3)
    assert answer["best_action"] in answer["best_actions"]
    assert answer["nodes"] >= answer["leaves"] > 0
    assert answer["seconds"] > 0
    assert answer["engine"] in ("python", "native")


def test_analyze_shows_people_every_move_by_name(capsys):
    code, out, err = run(capsys, "analyze", "pig", "--agent", "star1(depth=2)")
    assert (code, err) == (0, "")
    for word in ("roll", "stop", "star1, depth 2", "nodes", "line:"):
        assert word in out


@pytest.mark.parametrize("name", ["search.html", "search.svg"])
def test_analyze_writes_the_tree_that_was_searched(capsys, tmp_path, name):
    file = tmp_path / name
    command = ["analyze", "pig", "--agent", "star1(depth=2)", "--tree", str(file)]
    code, out, err = run(capsys, *command)
    assert (code, err) == (0, "")
    assert f"the tree is in {file}" in out.replace("\n", "")
    assert "star1, 2 plies" in file.read_text(encoding="utf-8")
    code, out, err = run(capsys, *command, "--json")
    assert (code, err, json.loads(out)["depth"]) == (0, "", 2)


def test_a_tree_too_large_loses_no_values(capsys, tmp_path, monkeypatch):
    command = ["analyze", "pig", "--agent", "star1(depth=4)", "--tree", str(tmp_path / "tree.html")]
    monkeypatch.setattr("starspiel.agents.search.tree.recorder.MAX_RECORDED", 60)
    code, out, err = run(capsys, *command)
    assert (code, err) == (0, "")
    assert "star1, depth 4" in out
    assert re.search(r"drawn\s+to\s+depth\s+[123]\s+of\s+4", out)
    code, out, err = run(capsys, *command, "--json")
    assert (code, json.loads(out)["depth"]) == (0, 4)
    assert "the deepest" in err
    monkeypatch.setattr("starspiel.agents.search.tree.recorder.MAX_RECORDED", 1)
    code, out, err = run(capsys, *command)
    assert code == 2
    assert "star1, depth 4" in out
    assert "too many to record" in " ".join(err.split())


def test_analyze_plots_value_and_nodes_by_depth(capsys, tmp_path):
    file = tmp_path / "depths.svg"
    code, out, err = run(capsys, "analyze", "pig", "--agent", "star2(depth=2)", "--plot", str(file))
    assert (code, err) == (0, "")
    assert f"the plot is in {file}" in out.replace("\n", "")
    assert file.read_text(encoding="utf-8").count("<polyline") == 4
    code, _, err = run(capsys, "analyze", "pig", "--plot", "depths.png")
    assert code == 2
    assert "a .svg file" in err
    code, out, err = run(capsys, "analyze", "pig", "--agent", "star2ss(depth=2)", "--plot", str(file))
    assert (code, out) == (2, ""), "refused before the search"
    assert "star2ss draws some" in err.replace("\n", " ")


def test_analyze_draws_no_tree_over_a_folder_or_in_another_form(capsys, tmp_path):
    for file, says in [
        (tmp_path / "tree.png", "a .html page or a .svg picture"),
        (tmp_path / "nowhere" / "tree.html", "there is no folder"),
    ]:
        code, out, err = run(capsys, "analyze", "pig", "--tree", str(file))
        assert (code, out) == (2, "")
        assert says in err
        assert not file.exists()


def test_games_agents_and_doctor_answer_in_json_and_in_words(capsys):
    code, out, _ = run(capsys, "games", "--json")
    names = {row["name"]: row for row in json.loads(out)["games"]}
    assert code == 0
    assert names["2048"]["utility_range"] is None
    assert names["pig"]["utility_range"] == [-1.0, 1.0]
    assert "kuhn_poker" not in names
    code, out, _ = run(capsys, "agents", "--json")
    listed = {row["name"]: row["parameters"] for row in json.loads(out)["agents"]}
    assert list(listed) == list(registered_agents())
    assert all("book" in parameters for parameters in listed.values())
    code, out, _ = run(capsys, "doctor", "--json")
    assert (code, json.loads(out)["ok"]) == (0, True)
    for command in ("games", "agents", "doctor"):
        code, out, err = run(capsys, command)
        assert (code, err) == (0, "")
        assert len(out.splitlines()) > 5
        assert ("book=FILE" in out) == (command == "agents")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["analyze", "pigg"], "Did you mean 'pig'?"),
        (["analyze", "kuhn_poker"], "imperfect information"),
        (["analyze", "pig(winscor=3)"], "Did you mean 'winscore'?"),
        (["analyze", "pig", "--agent", "star3"], "Did you mean 'star"),
        (["analyze", "pig", "--agent", "star2(depth=0)"], "at least 1, got 0"),
        (["analyze", "pig", "--agent", "star2(depth=-2)"], "at least 1, got -2"),
        (["analyze", "pig", "--agent", "star2(dept=2)"], "Did you mean 'depth'?"),
        (["analyze", "pig", "--agent", "random"], "needs a search agent"),
        (["analyze", "pig", "--agent", "star2(depth=2"], "brackets"),
        (["analyze", "pig", "--history", "0,9"], "action 2 of 2, 9, is not legal"),
        (["analyze", "pig", "--history", "0,x"], "history must be actions such as 3,0,17"),
        (
            ["analyze", "pig", "--history", "0"],
            "chance moves next in pig; add an outcome, e.g. --history 0,0",
        ),
        (["analyze", "backgammon"], "chance moves first in backgammon; add an outcome, e.g. --history 0."),
        (["analyze", "pig(winscore=2)", "--history", "0,2,1"], "pig(winscore=2) is over by then"),
        (["analyze"], "analyze"),
        (["analyse", "pig"], "analyse"),
        (["analyze", "pig", "--deep"], "--deep"),
    ],
)
def test_wrong_use_is_one_line_on_stderr_and_exit_code_2(capsys, arguments, says):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("starspiel: ")
    assert err.count("\n") == 1
    assert says in err


def test_a_real_process_leaves_with_the_same_line_and_code():
    command = [sys.executable, "-c", "from starspiel.cli import main; main()"]
    wrong = subprocess.run([*command, "analyze", "pigg"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)
    right = subprocess.run(
        [*command, "analyze", "pig", "--json"], capture_output=True, text=True, check=False
    )
    assert (right.returncode, right.stderr) == (0, "")
    assert json.loads(right.stdout)["game"] == "pig"


def test_a_game_of_drawn_chances_begins_with_its_seed(capsys):
    game = "Blackjack-v1(hidden=seen)"
    code, out, _ = run(capsys, "analyze", game, "--history", "7", "--json")
    found = json.loads(out)
    assert (code, found["agent"], found["history"]) == (0, "star2ss(depth=2)", [7])
    assert set(found["action_values"]) == {"0", "1"}
    wrong = {"": "drawn, from a seed", "7,5": "not legal; the moves of player 0 are 0 (Stick)"}
    for history, words in wrong.items():
        code, _, err = run(capsys, "analyze", game, "--history", history)
        assert code == 2
        assert words in err


def test_a_rollout_answers_with_every_move_and_its_interval(capsys):
    given = ("analyze", "pig", "--history", "0,3", "--rollout", "--json")
    code, out, _ = run(capsys, *given)
    answer = json.loads(out)
    assert code == 0
    assert (answer["agent"], answer["players"], answer["ended"]) == ("rollout", "greedy", "settled")
    assert {move["name"] for move in answer["moves"]} == {"roll", "stop"}
    assert answer["best_action"] == answer["moves"][0]["action"]
    assert answer["moves"][1]["behind"] > answer["moves"][1]["behind_margin"] > 0
    assert answer["moves"][0]["behind_margin"] is None
    code, out, _ = run(capsys, *given, "--agent", "star2(depth=1)")
    assert json.loads(out)["players"] == "star2(depth=1)"
    code, out, _ = run(capsys, *given[:4], "--agent", "rollout(n=2)")
    assert code == 0
    for word in ("roll", "stop", "as it fell", "the games allowed are played"):
        assert word in out


def test_a_rollout_has_no_tree(capsys, tmp_path):
    code, _, err = run(capsys, "analyze", "pig", "--rollout", "--tree", str(tmp_path / "tree.svg"))
    assert code == 2
    assert "a rollout has no tree" in err
