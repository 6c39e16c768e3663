"""bench strength: who meets whom, what the rows say, and how it ends early."""

import json
from dataclasses import replace

import pytest

from starspiel.cli import bench_strength
from starspiel.cli.app import main
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation import strength
from starspiel.evaluation.strength import contest, known_games, rows

PIG = "pig(winscore=20)"


def test_all_games_for_two_that_something_is_known_of():
    games = known_games()
    assert {"backgammon", "pig(players=2)", "yacht(players=2)", "knucklebones", "banqi"} <= set(games)
    assert all(load_game(name).num_players == 2 for name in games)


def test_the_rivals_are_those_that_there_are():
    assert list(contest(PIG, 0.01).rivals) == [
        "random",
        "star2(depth=1,evaluator=heuristic)",
        "mcts(seconds=0.01)",
    ]
    assert list(contest("tic_tac_toe", 0.01).rivals) == ["random", "mcts(seconds=0.01)"]
    assert "uct(seconds=0.01)" in contest("knucklebones", 0.01).rivals  # said by what plays
    assert contest("yacht", 0.01).game.name == "yacht(players=2)"
    with pytest.raises(StarspielError, match="games for two"):
        contest("2048", 0.01)


def test_a_row_says_who_won_and_how_deep_was_searched():
    first, *_, last = rows(replace(contest(PIG, 0.002), agent="star2(depth=3)"), pairs=4)
    assert (first.rival, first.pairs, first.evaluator, first.depth) == ("random", 4, "heuristic(pig)", 3.0)
    assert first.score > 0.5
    assert first.low < first.score < first.high or first.score == 1.0
    assert first.los > 0.8
    assert last.rival == "mcts(seconds=0.002)"
    assert 0 < last.rival_seconds < 1
    assert not last.interrupted


def test_an_evaluator_of_ones_own():
    first = next(rows(contest(PIG, 0.002, "rollout(n=2)"), pairs=2))
    assert first.evaluator == "rollout(n=2)"
    assert first.agent == "star2(seconds=0.002,evaluator=rollout(n=2))"
    with pytest.raises(StarspielError, match="no network comes with starspiel for pig"):
        contest(PIG, 0.002, "net")


def test_a_named_evaluator_wants_a_named_game(capsys):
    code, printed, said = _run(["--evaluator", "net(file=mine.npz)"], capsys)
    assert (code, printed) == (2, "")
    assert "name the games that --evaluator net(file=mine.npz) is for" in said


def test_the_time_is_estimated_from_the_moves_of_a_game(monkeypatch):
    monkeypatch.setattr(strength, "_moves", lambda game: 60.0)
    # Four games a rival, 30 moves a side; MCTS takes as long as the agent, and the others no time.
    assert contest(PIG, 0.1).duration(pairs=2) == pytest.approx(4 * 30 * 0.1 * 4)


def _run(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(["bench", "strength", *arguments])
    printed = capsys.readouterr()
    return left.value.code, printed.out, printed.err


def test_as_json_and_as_markdown(capsys):
    code, out, err = _run([PIG, "--pairs", "1", "--seconds", "0.002", "--json"], capsys)
    assert code == 0
    answer = json.loads(out)
    assert not answer["interrupted"]
    assert [row["rival"] for row in answer["rows"]] == list(contest(PIG, 0.002).rivals)
    assert "1 game, 1 pair a rival: about" in err
    code, out, _ = _run([PIG, "--pairs", "1", "--seconds", "0.002", "--markdown"], capsys)
    assert code == 0
    assert [line.count("|") for line in out.splitlines()] == [11] * 5


def test_ctrl_c_keeps_what_is_finished(monkeypatch, capsys):
    def stopped(contest, pairs, seed):
        yield next(rows(contest, pairs, seed))
        raise KeyboardInterrupt

    monkeypatch.setattr(bench_strength, "rows", stopped)
    monkeypatch.setattr(bench_strength.signal, "signal", lambda number, what: None)
    code, out, _ = _run([PIG, "tic_tac_toe", "--pairs", "1", "--seconds", "0.002", "--json"], capsys)
    answer = json.loads(out)
    assert code == 130
    assert answer["interrupted"]
    assert [row["rival"] for row in answer["rows"]] == ["random"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([PIG, "--seconds", "0"], "seconds must be positive"),
        ([PIG, "--pairs", "0"], "pairs"),
        (["2048"], "games for two"),
        (["pgi"], "Did you mean 'pig'"),
    ],
)
def test_mistakes_cost_one_line(arguments, says, capsys):
    code, _, err = _run(arguments, capsys)
    assert code == 2
    assert says in err
    assert err.count("\n") == 1
