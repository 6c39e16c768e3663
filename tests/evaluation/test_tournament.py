"""Whole tournaments with simple bots: the same again, checked beforehand, interruptible, printed."""

import json
from dataclasses import replace

import pytest
from support.simple_bots import HoldAt, RandomBot, broken, moves, random_bot

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.report import write_report
from starspiel.evaluation.tournament import tournament

AGENTS = {
    "random": random_bot,
    "hold at 20": lambda game, seat, seed: HoldAt(20),
    "hold at 8": lambda game, seat, seed: HoldAt(8),
}
PIG = "pig(players=2,winscore=50)"


def test_the_better_player_is_found_and_the_sums_agree():
    result = tournament(PIG, AGENTS, pairs=30, seed=2)
    assert result.ranked_names == ("hold at 20", "hold at 8", "random")
    answer = result.to_dict()
    assert answer["games"] == 2 * 3 * 30 == sum(agent["score"] for agent in answer["agents"])
    best = answer["agents"][1]
    assert best["agent"] == "hold at 20"
    assert best["elo_low"] < best["elo"] < best["elo_high"]
    assert best["games"] == best["wins"] + best["losses"] == 120
    for i in range(3):
        for j in range(i):
            assert answer["matrix"][i][j] + answer["matrix"][j][i] == pytest.approx(1.0)
            assert answer["matrix_low"][i][j] <= answer["matrix"][i][j] <= answer["matrix_high"][i][j]
    json.dumps(answer, allow_nan=False)
    text = str(result)
    assert all(name in text for name in AGENTS)
    assert f"{best['elo']:+.0f}" in text
    assert "180 games in 90 pairs" in text


def test_progress_is_told_and_ctrl_c_keeps_what_was_played():
    seen = []

    def watch(progress):
        seen.append((progress.done, progress.total, progress.tally.games))
        if progress.done == 4:
            raise KeyboardInterrupt

    result = tournament(PIG, AGENTS, pairs=10, on_pair=watch)
    assert seen == [(k, 30, 2 * k) for k in range(1, 5)]
    assert result.interrupted
    assert result.games == 8
    assert "stopped early" in str(result)
    assert moves(result) == moves(tournament(PIG, AGENTS, pairs=10))[:4]


def test_faults_are_reported_and_lose():
    agents = {"broken": broken, "random": random_bot}
    result = tournament(PIG, agents, pairs=3)
    bad = result.to_dict()["agents"][0]
    assert (bad["forfeits"], bad["voids"], bad["losses"]) == ({"raised": 6}, 3, 6)
    assert "3 pairs void and played again, 6 games forfeited (6 raised)" in str(result)


def test_one_player_games_compare_mean_returns_on_common_dice():
    agents = {"random": random_bot, "other": random_bot}
    result = tournament("catch", agents, pairs=20)
    starts = {}
    for record in result.pairs:
        starts.setdefault(record.pair.number, set()).add(record.games[0].actions[0])
    assert len(starts) == 20
    assert all(len(first) == 1 for first in starts.values())
    answer = result.to_dict()
    assert answer["agents"][0]["elo"] is None
    assert answer["agents"][0]["games"] == 20
    mean = sum(record.games[0].returns[0] for record in result.pairs if record.pair.agents == (0,)) / 20
    assert answer["agents"][0]["mean"] == pytest.approx(mean)
    assert "mean return" in str(result)


def test_a_sequential_test_has_pairs_enough_by_default():
    result = tournament("pig(winscore=20)", ["star2(depth=2)", "greedy"], sprt="nelo0=0,nelo1=100")
    assert result.sprt.verdict == "lower"
    assert result.planned_pairs > result.tally.pairs > 10
    assert tournament("pig(winscore=20)", ["greedy", "random"]).planned_pairs == 10


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pairs", "3"),
        pytest.param("pairs", 10**5000, id="endless"),
        pytest.param("pairs", -(10**5000), id="endless below 0"),
        pytest.param("seed", 10**5000, id="endless seed"),
        ("store", "a\0b"),
        ("seed", 1.5),
        ("workers", 1.5),
        ("clock", "1"),
        ("format", 3),
        ("sprt", 3),
        ("anchor", 0),
        ("limits", 3),
        ("engine", "local"),
        ("store", 3),
        ("starts", [0]),
        ("agents", [3]),
        ("agents", {"a": 3, "b": "random"}),
    ],
)
def test_a_setting_of_another_kind_is_named(name, value):
    settings = {"agents": ["random", "greedy"], "pairs": 1} | {name: value}
    with pytest.raises(StarspielError, match="expected"):
        tournament(PIG, **settings)


def test_the_anchor_is_zero_and_named():
    result = tournament(PIG, AGENTS, pairs=5, anchor="random")
    lines = {line.agent: line for line in result.standings}
    assert (lines["random"].low, lines["random"].elo, lines["random"].high) == (0.0, 0.0, 0.0)
    assert lines["hold at 20"].elo > 0
    assert result.to_dict()["anchor"] == "random"
    assert "Elo 0 is random" in str(result)
    with pytest.raises(StarspielError, match="Did you mean 'random'"):
        tournament(PIG, AGENTS, pairs=5, anchor="randm")


def test_interrupted_before_the_first_pair():
    def impatient(game, seat, seed):
        calls.append(seed)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return RandomBot(seed)

    calls = []
    result = tournament(PIG, {"a": impatient, "b": random_bot}, pairs=2)
    assert result.interrupted
    assert result.games == 0
    json.dumps(result.to_dict(), allow_nan=False)
    assert "0 games" in str(result)


@pytest.mark.parametrize(
    ("factory", "says"),
    [
        (lambda game, seat, seed: None, "bad made None, which has no step"),
        (lambda game, seat, seed: 1 / 0, "making the agent bad raised ZeroDivisionError: division by zero"),
        (lambda game: None, r"bad: .* is a factory, called as factory\(game, seat, seed\)"),
    ],
)
def test_a_factory_that_makes_no_bot_is_named_before_the_first_game(factory, says):
    with pytest.raises(StarspielError, match=says):
        tournament("pig(players=2)", {"bad": factory, "random": "random"})


def test_a_spec_is_the_same_agent_however_it_is_typed():
    typed = ["random", "star2( evaluator = heuristic, depth = 1 )"]
    plain = ["random", "star2(depth=1,evaluator=heuristic)"]
    one, other = (tournament(PIG, agents, pairs=2) for agents in (typed, plain))
    assert one.agents == other.agents == tuple(plain)
    assert [record.games[0].actions for record in one.pairs] == [
        record.games[0].actions for record in other.pairs
    ]


@pytest.mark.parametrize(
    ("more", "timed"),
    [
        ({}, []),
        ({"clock": 0.01}, ["star2(depth=1,seconds=0.01)"]),
        ({"agents": {"quick": "mcts(seconds=0.005)", "random": "random"}}, ["quick"]),
    ],
)
def test_games_of_agents_limited_by_seconds_are_said_to_be_unrepeatable(more, timed, tmp_path):
    settings = {"agents": ["star2(depth=1)", "random"]} | more
    result = tournament("tic_tac_toe", pairs=1, **settings)
    write_report(result, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert result.to_dict()["timed"] == timed
    for text in (str(result), page):
        assert ("cannot be played again move for move" in " ".join(text.split())) == bool(timed)
    if timed:
        assert f"Limited by seconds: {timed[0]}." in str(result)
        assert f"Limited by seconds: {timed[0]}." in page.partition("<h2>Ratings")[0]
        assert f"Limited by seconds: {timed[0]}." in page.partition("<h2>To repeat it")[2]


def test_a_result_tells_its_verdict_from_what_holds_however_often_it_is_looked_at() -> None:
    match = tournament("star_pig(goal=20)", ["random", "greedy"], pairs=5, seed=1)
    assert "If you stop or extend because of results, a stricter test counts: p" in " ".join(
        str(match).split()
    )
    field = tournament("star_pig(goal=20)", ["random", "greedy", "star2"], pairs=2, seed=1)
    said = " ".join(str(field).split())
    assert "is for a length fixed beforehand." in said
    assert "a stricter test counts, for all 3 comparisons: no difference is significant yet" in said
    stopped = " ".join(str(replace(field, interrupted=True)).split())
    assert "Whenever you stop, for all 3 comparisons: " in stopped
