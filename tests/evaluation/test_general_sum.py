"""Tournaments of two players whose returns need not sum to zero: pairs, judged by mean returns."""

import json

import pytest
from support.bargain import Bargain
from support.commands import output, refusal

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.ladder import Ladder, LadderSettings
from starspiel.evaluation.report.page import page
from starspiel.evaluation.store.checksums import raw_pairs
from starspiel.evaluation.store.merge import merge
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.verify import verify
from starspiel.evaluation.tournament import tournament

AGENTS = ["random", "expectiminimax(depth=2)"]
GAME = "support.bargain:Bargain"


def said(result):
    found = {key: value for key, value in result.to_dict().items() if key != "seconds"}
    return {key: value for key, value in found.items() if key != "agents"}, [
        {key: value for key, value in line.items() if key != "cpu_seconds_per_move"}
        for line in found["agents"]
    ]


def test_mean_returns_are_those_of_both_seats():
    """Whoever searches offers 1 and accepts all, which is best for both."""
    result = tournament(Bargain(), [*AGENTS, "star1(depth=2)"], pairs=40)
    assert (result.tally.pairs, result.games) == (120, 240)
    assert result.observations == "pairs"
    for line in result.standings:
        agent = result.agents.index(line.agent)
        returns = [
            game.returns[game.agents.index(agent)]
            for record in result.pairs
            for game in record.games
            if agent in game.agents
        ]
        assert line.mean == pytest.approx(sum(returns) / len(returns))
        assert line.mean_low < line.mean < line.mean_high
    assert result.ranked_names[-1] == "random"
    assert {each.pairs for each in result.differences} == {40}


def test_the_table_has_mean_returns_and_what_belongs_to_zero_sums_is_missing():
    result = tournament(Bargain(), AGENTS, pairs=5)
    text = " ".join(str(result).split())
    assert "10 games in 5 pairs" in text
    assert "A pair is 2 games with the same dice" in text
    assert "mean return" in text
    assert "first seat scored" not in text
    answer = result.to_dict()
    assert (answer["pairs"], answer["meetings"], len(answer["seats"])) == (5, None, 2)
    assert answer["differences"][0]["pairs"] == 5
    assert "10 games in 5 pairs" in page(result)
    with pytest.raises(StarspielError, match="zero-sum game of two players"):
        _ = result.payoffs


def test_stores_resume_merge_verify_and_export(tmp_path, capsys):
    store, parts = tmp_path / "a.db", [tmp_path / "1.db", tmp_path / "2.db"]
    tournament(GAME, AGENTS, pairs=3, store=store)
    played = []
    more = tournament(GAME, AGENTS, pairs=6, store=store, on_pair=played.append)
    assert len(played) == 3
    whole = tournament(GAME, AGENTS, pairs=6)
    assert said(more) == said(whole)
    for number, part in enumerate(parts, start=1):
        tournament(GAME, AGENTS, pairs=6, part=f"{number}/2", store=part)
    merge(parts)
    assert said(tournament(GAME, AGENTS, pairs=6, store=parts[0])) == said(whole)
    assert verify(store, trust=True).ok
    lines = [json.loads(line) for line in output(capsys, "export", store, "--format", "jsonl").splitlines()]
    assert all("others" not in line for line in lines)
    for line in lines:
        first, second = line["returns"]
        won = 0.5 + 0.5 * ((first > second) - (first < second))
        assert line["scores"] == [won, 1.0 - won]
    with Store(store, read_only=True) as opened:
        assert {len(game.record.returns) for game in opened.games()} == {2}


def test_a_zero_sum_game_has_no_returns_like_these(tmp_path, monkeypatch):
    """Even if they say that they may have, every checksum is right, and none of them is played again."""
    monkeypatch.setattr("starspiel.evaluation.run.check_sample", lambda *_, **__: None)
    store, agents = tmp_path / "a.db", ["random", "mcts(simulations=2)"]
    tournament("tic_tac_toe", agents, pairs=1, store=store)
    with Store(store) as opened, opened.saving() as db:
        db.execute("UPDATE games SET return0 = 1.0, return1 = 1.0")
        db.execute("""UPDATE records SET moves = '{"others":[],' || substr(moves, 2)""")
        for pair in list(raw_pairs(db)):
            db.execute("UPDATE pairs SET checksum = ? WHERE id = ?", (pair.digest(), pair.id.decode()))
    with pytest.raises(StarspielError, match="in a zero-sum game"):
        tournament("tic_tac_toe", agents, pairs=1, store=store)


def test_whoever_breaks_the_rules_has_no_more_than_the_other():
    class Broken:
        def __init__(self, game, seat, seed):
            pass

        def step(self, state):
            return 77

    result = tournament(Bargain(), {"random": "random", "broken": Broken}, pairs=2)
    for record in result.pairs:
        for game in record.games:
            assert game.fault is not None
            assert game.returns[game.fault.seat] == min(game.returns)
            assert game.score(game.fault.seat) == 0.0
    assert result.tally.agents[1].forfeits["illegal"] == 4


@pytest.mark.parametrize(
    ("option", "value"), [("--luck", "zero"), ("--sprt", "nelo0=0,nelo1=5"), ("--blocks", "3")]
)
def test_what_takes_zero_sums_is_refused(capsys, monkeypatch, option, value):
    assert "bargain" in refusal(capsys, "tournament", GAME, "--agents", *AGENTS, option, value)


def test_a_ladder_is_refused(tmp_path):
    with pytest.raises(StarspielError, match="Bargain is neither"):
        Ladder(tmp_path / "l", LadderSettings(game=GAME), trust=True).add(["random"])
