"""`starspiel analyze`, `games`, `agents` and `doctor`: what they print, and one line for each wrong use."""

import json
import re

import pytest
from open_spiel.python.algorithms import minimax

from starspiel.agents.roster import registered_agents
from starspiel.envs.load import load_game


def test_analyze_prints_one_json_object_with_the_values_of_openspiel(run):
    agent = "star2(depth=3,evaluator=zero)"
    code, out, err = run("analyze", "pig", "--history", "0,3", "--agent", agent, "--json")
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


def test_analyze_shows_people_every_move_by_name(run):
    code, out, err = run("analyze", "pig", "--agent", "star1(depth=2)")
    assert (code, err) == (0, "")
    for word in ("roll", "stop", "star1, depth 2", "nodes", "line:"):
        assert word in out


@pytest.mark.parametrize("name", ["search.html", "search.svg"])
def test_analyze_writes_the_tree_that_was_searched(run, tmp_path, name):
    file = tmp_path / name
    command = ["analyze", "pig", "--agent", "star1(depth=2)", "--tree", str(file)]
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    assert f"the tree is in {file}" in out.replace("\n", "")
    assert "star1, 2 plies" in file.read_text(encoding="utf-8")
    code, out, err = run(*command, "--json")
    assert (code, err, json.loads(out)["depth"]) == (0, "", 2)


def test_a_tree_too_large_loses_no_values(run, tmp_path, monkeypatch):
    command = ["analyze", "pig", "--agent", "star1(depth=4)", "--tree", str(tmp_path / "tree.html")]
    monkeypatch.setattr("starspiel.agents.search.tree.recorder.MAX_RECORDED", 60)
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    assert "star1, depth 4" in out
    assert re.search(r"drawn\s+to\s+depth\s+[123]\s+of\s+4", out)
    code, out, err = run(*command, "--json")
    assert (code, json.loads(out)["depth"]) == (0, 4)
    assert "the deepest" in err
    monkeypatch.setattr("starspiel.agents.search.tree.recorder.MAX_RECORDED", 1)
    code, out, err = run(*command)
    assert code == 2
    assert "star1, depth 4" in out
    assert "too many to record" in " ".join(err.split())


def test_analyze_plots_value_and_nodes_by_depth(run, tmp_path):
    file = tmp_path / "depths.svg"
    code, out, err = run("analyze", "pig", "--agent", "star2(depth=2)", "--plot", str(file))
    assert (code, err) == (0, "")
    assert f"the plot is in {file}" in out.replace("\n", "")
    assert file.read_text(encoding="utf-8").count("<polyline") == 4


def test_games_agents_and_doctor_answer_in_json_and_in_words(run):
    code, out, _ = run("games", "--json")
    names = {row["name"]: row for row in json.loads(out)["games"]}
    assert code == 0
    assert names["2048"]["utility_range"] is None
    assert names["pig"]["utility_range"] == [-1.0, 1.0]
    assert "kuhn_poker" not in names
    code, out, _ = run("agents", "--json")
    listed = {row["name"]: row["parameters"] for row in json.loads(out)["agents"]}
    assert list(listed) == list(registered_agents())
    assert all("book" in parameters for parameters in listed.values())
    code, out, _ = run("doctor", "--json")
    assert (code, json.loads(out)["ok"]) == (0, True)
    for command in ("games", "agents", "doctor"):
        code, out, err = run(command)
        assert (code, err) == (0, "")
        assert len(out.splitlines()) > 5
        assert ("book=FILE" in out) == (command == "agents")


def test_a_game_of_drawn_chances_begins_with_its_seed(run):
    game = "Blackjack-v1(hidden=seen)"
    code, out, _ = run("analyze", game, "--history", "7", "--json")
    found = json.loads(out)
    assert (code, found["agent"], found["history"]) == (0, "star2ss(depth=2)", [7])
    assert set(found["action_values"]) == {"0", "1"}


def test_a_rollout_answers_with_every_move_and_its_interval(run):
    given = ("analyze", "pig", "--history", "0,3", "--rollout", "--json")
    code, out, _ = run(*given)
    answer = json.loads(out)
    assert code == 0
    assert (answer["agent"], answer["players"], answer["ended"]) == ("rollout", "greedy", "settled")
    assert {move["name"] for move in answer["moves"]} == {"roll", "stop"}
    assert answer["best_action"] == answer["moves"][0]["action"]
    assert answer["moves"][1]["behind"] > answer["moves"][1]["behind_margin"] > 0
    assert answer["moves"][0]["behind_margin"] is None
    code, out, _ = run(*given, "--agent", "star2(depth=1)")
    assert json.loads(out)["players"] == "star2(depth=1)"
    code, out, _ = run(*given[:4], "--agent", "rollout(n=2)")
    assert code == 0
    for word in ("roll", "stop", "as it fell", "the games allowed are played"):
        assert word in out


def test_analyze_shows_the_strategies_of_players_who_move_at_once(run, tmp_path):
    code, out, err = run("analyze", "matrix_brps")
    assert (code, err) == (0, "")
    for words in ("all players move at once", "player 1", r"Paper +0\.625000", r"Scissors +0\.312500"):
        assert re.search(words, out)
    code, out, _ = run("analyze", "oshi_zumo(coins=4,size=1)", "--history", "2,1,0,2", "--json")
    answer = json.loads(out)
    assert code == 0
    assert [sum(each["policy"].values()) for each in answer["strategies"]] == pytest.approx([1, 1])
    assert answer["strategies"][1]["policy"].keys() == {"0", "1"}  # one coin is left to player 1
    for history, words in (("2", "one move of each"), ("2,9", "action 2 of 2, 9, is not legal")):
        code, _, err = run("analyze", "oshi_zumo(coins=4,size=1)", "--history", history)
        assert code != 0
        assert words in err.replace("\n", " ")
    code, _, err = run("analyze", "matrix_brps", "--tree", str(tmp_path / "tree.html"))
    assert code != 0
    assert "not drawn" in err
