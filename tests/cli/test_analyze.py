"""`starspiel analyze`, `games`, `agents` and `doctor`: what they print, and one line for each wrong use."""

import json
import os
import re
import signal
import subprocess
import sys

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


def test_people_see_the_board_first_and_then_a_line_for_each_depth(run):
    code, out, _ = run("analyze", "connect_four", "--history", "3,3", "--agent", "star1(depth=4)")
    lines = out.splitlines()
    board = next(i for i, line in enumerate(lines) if line == ". . . x . . .")
    depths = [(i, line.split()) for i, line in enumerate(lines) if re.match(r" +\d+ +\d+\.\d %", line)]
    answer = next(i for i, line in enumerate(lines) if line.startswith("star1, depth 4"))
    assert code == 0
    assert board < depths[0][0] < depths[-1][0] < answer
    assert [int(words[0]) for _, words in depths] == [1, 2, 3, 4]
    by_depth = [
        json.loads(run("analyze", "connect_four", "--history", "3,3", "--depth", depth, "--json")[1])
        for depth in "1234"
    ]
    assert [float(words[1]) for _, words in depths] == [
        pytest.approx(50 + 50 * found["value"], abs=0.0501) for found in by_depth
    ]


def test_values_for_people_are_those_of_the_player_to_move(run):
    given = ("analyze", "connect_four", "--history", "3", "--depth", "3")
    value = json.loads(run(*given, "--json")[1])["value"]
    assert f"chance to win {50 - 50 * value:.1f} % for player 1" in run(*given)[1]
    assert f"value {value:+.6f} for player 0" in run(*given, "--raw")[1]


@pytest.mark.parametrize(
    ("game", "history", "actions"),
    [
        ("pig", "roll, Roll 4", [0, 3]),
        ("connect_four", "x3,o3,x4", [3, 3, 4]),
        ("backgammon", "x starts, rolled 1 2; 24/23 13/11; rolled 3 1", [0, 11, 3]),
        ("Blackjack-v1(hidden=seen)", "7", [7]),
        ("oshi_zumo(coins=4)", "[P0]Bid: 1,[P1]Bid: 2", [1, 2]),
    ],
)
def test_a_history_is_told_by_numbers_or_names(run, game, history, actions):
    found = json.loads(run("analyze", game, "--history", history, "--depth", "1", "--json")[1])
    assert found["history"] == actions


@pytest.mark.parametrize(
    ("game", "given", "says"),
    [
        ("pig", ("--history", "roll,roll"), "no outcome 'roll'; the outcomes are 0 (rolled 1)"),
        ("pig", ("--history", "roll,roll 9"), "Did you mean"),
        ("pig", ("--history", "jump"), "no move 'jump'"),
        ("backgammon", ("--history", "rol"), "rolled 4 1), ….\n"),
        ("pig", ("--position", "x"), "pig cannot read the position 'x'"),
        ("dice", ("--position", "x"), "cannot read positions"),
        ("backgammon", ("--position", "x"), "expected a Position ID of 14 characters"),
        ("backgammon", ("--position", "4HPwATDgc/ABMA"), "no dice are thrown"),
        ("chess", ("--position", "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1"), "the game is over there"),
        ("pig", ("--depth", "3", "--agent", "star2(depth=2)"), "given twice"),
        ("pig", ("--depth", "3", "--agent", "random"), "no parameter 'depth'"),
        ("pig", ("--depth", "3", "--rollout"), "rollout(depth=8)"),
        ("Blackjack-v1(hidden=seen)", ("--history", "hit"), "expected a seed first"),
        (
            "oshi_zumo(coins=4)",
            ("--history", "bid"),
            "no move 'bid'; the moves of player 0 are 0 ([P0]Bid: 0)",
        ),
    ],
)
def test_what_names_no_position_is_refused_in_a_line(run, game, given, says):
    code, out, err = run("analyze", game, *given)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("xgid", "gnubg_id", "best"),
    [
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:1:10", "4HPwATDgc/ABMA:cIklAAAAAAAE", "8/5 6/5"),
        # Player 1 enters from the bar, and closes player 0 out.
        ("XGID=aABBBBBBA------------a--b-:0:0:-1:66:0:0:0:1:10", None, "pass"),
    ],
)
def test_a_position_of_backgammon_is_typed_and_printed_in_two_notations(run, xgid, gnubg_id, best):
    read = json.loads(run("analyze", "backgammon", "--position", xgid, "--depth", "1", "--json")[1])
    assert read["xgid"] == xgid
    assert gnubg_id in (None, read["gnubg_id"])
    assert best in read["action_names"][str(read["best_action"])]
    again = json.loads(
        run("analyze", "backgammon", "--position", read["gnubg_id"], "--depth", "1", "--json")[1]
    )
    for key in ("xgid", "player", "action_values", "value"):
        assert again[key] == read[key]
    out = run("analyze", "backgammon", "--position", xgid.removeprefix("XGID="), "--depth", "1")[1]
    assert xgid in out
    assert read["gnubg_id"] in out


@pytest.mark.parametrize(("opening", "player"), [("0", 0), ("14", 0), ("15", 1), ("29", 1)])
def test_chances_of_gammons_are_told_for_whoever_is_to_move(run, opening, player):
    how = "backgammon(scoring_type=full_scoring)", "--history", opening, "--depth", "1"
    code, out, _ = run("analyze", *how)
    assert code == 0
    told = out.splitlines()[-1]
    answer = json.loads(run("analyze", *how, "--json")[1])
    assert answer["player"] == player
    sign = 1 if player == 0 else -1
    by_points = {sign * float(value): chance for value, chance in answer["chances"].items()}
    won, gammons = (sum(by_points[points] for points in range(least, 4)) for least in (1, 2))
    assert f"by the network without search: win {100 * won:.1f} %, gammon {100 * gammons:.1f} %, " in told
    assert f"lose {100 * (1 - won):.1f} %, gammon " in told
    code, out, _ = run("analyze", "backgammon", "--history", "14", "--depth", "1", "--json")
    assert (code, "chances" in json.loads(out)) == (0, False)


def test_a_position_in_chess_is_a_fen(run):
    fen = "7k/8/8/8/8/8/6Q1/6RK w - - 0 1"
    answer = json.loads(run("analyze", "chess", "--position", fen, "--depth", "1", "--json")[1])
    assert answer["value"] == -1.0  # White, player 1, mates
    assert answer["position"] == fen


def test_ctrl_c_answers_with_the_deepest_depth_so_far():
    main = "from starspiel.cli import main; main()"
    found = subprocess.Popen(
        [sys.executable, "-c", main, "analyze", "connect_four", "--agent", "star2(seconds=300)"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    lines = []
    for line in found.stdout:
        lines.append(line)
        if re.match(r" +3 +\d+\.\d %", line):
            break
    found.send_signal(signal.SIGINT)
    out, err = found.communicate(timeout=120)
    assert (found.returncode, err) == (0, "")
    told = max(
        int(line.split()[0]) for line in [*lines, *out.splitlines()] if re.match(r" +\d+ +\d+\.", line)
    )
    answered = int(re.search(r"^star2, depth (\d+), evaluator net", out, re.MULTILINE)[1])
    assert answered in (told, told + 1)  # it may be interrupted before it tells what it has just found


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
    for word in ("roll", "stop", "unadjusted", "all games allowed were played"):
        assert word in out
    code, out, _ = run("analyze", "tic_tac_toe", "--history", "4", "--agent", "rollout(n=2)")
    assert re.search(r"player 1 to move[\s\S]*expected\s+returns\s+of\s+player\s+0", out)


def test_analyze_shows_the_strategies_of_players_who_move_at_once(run, tmp_path):
    code, out, err = run("analyze", "matrix_brps")
    assert (code, err) == (0, "")
    for words in ("all players move at once", "player 1", r"Paper +62\.50 %", r"Scissors +31\.25 %"):
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
    assert "--tree supports only moves in turn" in err


def test_a_depth_in_a_game_of_which_nothing_is_known_is_searched_by_random_games(run) -> None:
    code, out, _ = run("analyze", "tic_tac_toe", "--depth", "2")
    assert code == 0
    assert "evaluator rollout(n=10)" in out
    assert "moves are valued by random games" in out.replace("\n", " ")


@pytest.mark.parametrize("before", ["", "roll,"])
def test_a_number_longer_than_python_reads_is_no_action(run, before: str) -> None:
    code, _, err = run("analyze", "pig", "--history", f"{before}{'9' * 5000}")
    assert code == 2
    assert err.startswith(f"starspiel: history: action {1 + len(before) // 5} of ")
    assert len(err) < 600
