"""`starspiel check`: exit codes and words."""

import json

import pytest

FEW = ("--games", "60", "--positions", "300")


def test_a_sound_game(run):
    code, out, err = run("check", "pig", *FEW)
    assert (code, err) == (0, "")
    assert out.endswith("pig keeps the contract.\n")


def test_json_is_one_object(run):
    code, out, _ = run("check", "backgammon(hyper_backgammon=true)", "--json")
    answer = json.loads(out)
    assert code == 1
    assert not answer["ok"]
    assert [check["name"] for check in answer["checks"]] == ["search can play it"]


def test_a_game_that_search_cannot_play_fails_with_the_reason(run):
    code, out, _ = run("check", "backgammon(hyper_backgammon=true)")
    assert code == 1
    assert "scores every game 0" in out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["pig(winscore=20)", "--agent", "star1(depth=1)", "--games", "2"], 0),
        (["pig(winscore=20)", "--evaluator", "heuristic", "--positions", "100"], 0),
        (["Blackjack-v1", "--agent", "star2(depth=1)", "--games", "2"], 2),
    ],
)
def test_agents_and_evaluators(arguments, code, run):
    assert run("check", *arguments)[0] == code


@pytest.mark.usefixtures("long_looks")
def test_hidden_state_is_warned_of_in_a_line(run):
    _, _, err = run("check", "Blackjack-v1", "--games", "1", "--seconds", "1")
    assert err.startswith("starspiel: warning: Blackjack-v1 has hidden state")
    assert err.count("\n") == 1
