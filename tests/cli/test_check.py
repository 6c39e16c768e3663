"""`starspiel check`: exit codes and words."""

import json

import pytest

from starspiel.cli.app import main


def run(capfd, *arguments):
    with pytest.raises(SystemExit) as caught:
        main(["check", *arguments])
    captured = capfd.readouterr()
    return caught.value.code, captured.out, captured.err


def test_a_sound_game(capfd):
    code, out, err = run(capfd, "pig", "--games", "60", "--positions", "300")
    assert (code, err) == (0, "")
    assert out.endswith("pig keeps the contract.\n")


def test_json_is_one_object(capfd):
    code, out, _ = run(
        capfd, "2048(max_tile=64)", "--claims", "--games", "60", "--positions", "300", "--json"
    )
    answer = json.loads(out)
    assert code == 1
    assert not answer["ok"]
    assert {"bounds", "keys"} <= {check["name"] for check in answer["checks"] if not check["ok"]}


def test_a_game_that_search_cannot_play_fails_with_the_reason(capfd):
    code, out, _ = run(capfd, "backgammon(hyper_backgammon=true)")
    assert code == 1
    assert "scores every game 0" in out


@pytest.mark.parametrize("arguments", [["pgi"], ["pig", "--games", "0"], []])
def test_wrong_usage(arguments, capfd):
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["pig(winscore=20)", "--agent", "star1(depth=1)", "--games", "2"], 0),
        (["pig(winscore=20)", "--evaluator", "heuristic", "--positions", "100"], 0),
        (["pig(winscore=20)", "--agent", "star1", "--claims"], 2),
        (["pig(winscore=20)", "--agent", "star9"], 2),
        (["Blackjack-v1", "--agent", "star2(depth=1)", "--games", "2"], 2),
    ],
)
def test_agents_and_evaluators(arguments, code, capfd):
    assert run(capfd, *arguments)[0] == code


def test_hidden_state_is_warned_of_in_a_line(capfd):
    _, _, err = run(capfd, "Blackjack-v1", "--games", "1", "--seconds", "1")
    assert err.startswith("starspiel: warning: Blackjack-v1 has hidden state")
    assert err.count("\n") == 1
