"""Tournaments of games in which all players move at once."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import mcts
from support.commands import output, refusal
from support.joint_bots import Faulty, Follower
from support.simple_bots import moves, untimed

from starspiel.agents import make_bot
from starspiel.envs.base import SIMULTANEOUS, joint_child
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.joint_move import JointMove, one_by_one
from starspiel.envs.load import load_game
from starspiel.evaluation.ladder import Ladder, LadderSettings
from starspiel.evaluation.play.dice import Dice
from starspiel.evaluation.play.match import play_game
from starspiel.evaluation.play.record import key_of_actions
from starspiel.evaluation.play.seat import seated
from starspiel.evaluation.store.comparison import deviation
from starspiel.evaluation.store.merge import merge
from starspiel.evaluation.store.replay import events
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.verify import verify
from starspiel.evaluation.tournament import tournament

GOOFSPIEL = "goofspiel(imp_info=False,num_cards=4)"
OSHI_ZUMO = "oshi_zumo(coins=5,size=1,horizon=8)"
SOCCER = "markov_soccer(horizon=12)"
FIELD = ["star2(depth=1)", "random", "uct(simulations=20)"]
ENGINE = f"exec:{sys.executable} -I -S {Path(__file__).parents[2] / 'examples/engines/first_engine.py'}"


def replayed(game, actions):
    """(player or CHANCE, action) by OpenSpiel's own rules, and the last state."""
    state, found, left = game.new_initial_state(), [], list(actions)
    while left:
        if state.current_player() == SIMULTANEOUS:
            chosen, left = left[:2], left[2:]
            state = joint_child(state, chosen)
            found += enumerate(chosen)
        else:
            found.append((state.current_player(), left.pop(0)))
            state = state.child(found[-1][1])
    return found, state


@pytest.mark.parametrize("name", [GOOFSPIEL, OSHI_ZUMO, SOCCER])
def test_records_are_openspiels_histories(name):
    game = load_game(name)
    for record in tournament(game, FIELD[:2], pairs=2, seed=7).pairs:
        for played in record.games:
            found, last = replayed(game, played.actions)
            assert last.is_terminal()
            assert last.history() == list(played.actions)
            assert tuple(last.returns()) == played.returns
            for seat, own in enumerate(played.moves):
                assert len(own.seconds) == sum(player == seat for player, _ in found)


def test_the_same_seed_plays_the_same_games_by_any_number_of_workers():
    one, two = (tournament(GOOFSPIEL, FIELD, pairs=3, seed=5, workers=n) for n in (1, 2))
    assert moves(one) == moves(two)
    assert untimed(one) == untimed(two)
    assert moves(one) != moves(tournament(GOOFSPIEL, FIELD, pairs=3, seed=6))


def test_the_games_of_a_pair_share_their_dice():
    for record in tournament(GOOFSPIEL, ["a=random", "b=random"], pairs=8, seed=2).pairs:
        first, second = (game.actions[::3] for game in record.games)
        assert first == second, "the cards that are bid for"
        assert record.games[0].actions != record.games[1].actions


def faults(store):
    """(agent, seat, kind) of every game that was forfeited; None of the others."""
    with Store(store, read_only=True) as opened:
        played = [(game.names, game.record.fault) for game in opened.games()]
    return [None if fault is None else (names[fault.seat], fault.seat, fault.kind) for names, fault in played]


def test_nobody_learns_a_move_before_all_have_made_theirs(tmp_path):
    """In this process and in others, where positions come from messages alone."""
    game = load_game(GOOFSPIEL)
    record = play_game(game, seated([Follower(game, seat, 1 + seat) for seat in (0, 1)]), Dice("f"))
    assert record.fault is None
    field = ["a=support.joint_bots:Follower", "b=support.joint_bots:Follower", ENGINE]
    tournament(GOOFSPIEL, field, pairs=1, store=tmp_path / "a.db")
    assert faults(tmp_path / "a.db") == [None] * 6


def test_an_engine_is_told_the_others_moves_and_not_its_own(tmp_path):
    told, program = tmp_path / "told", tmp_path / "engine.py"
    source = Path(ENGINE.rpartition(" ")[2]).read_text()
    noting = f"for line in sys.stdin:\n        print(line, end='', file=open({str(told)!r}, 'a'))"
    program.write_text(source.replace("for line in sys.stdin:", noting))
    game = load_game("oshi_zumo(coins=4,size=1,horizon=3)")
    bot = make_bot(f"exec:{sys.executable} -I -S {program}", game, 1, 3)
    state, asked = game.new_initial_state(), []
    for bid in (1, 0):
        asked.append(bot.step(state))
        assert bot.step(state) == asked[-1], "asked again, it begins anew"
        state = joint_child(state, [bid, asked[-1]])
    bot.step(state)
    messages = [json.loads(line) for line in told.read_text().splitlines()]
    last = max(number for number, message in enumerate(messages) if message["type"] == "new_game")
    since = [(each["player"], each["action"]) for each in messages[last:] if each["type"] == "event"]
    assert since == [(0, 1), (1, asked[0]), (0, 0)], "its own last answer is not repeated"


def test_a_fault_costs_the_game_of_whoever_made_it(tmp_path):
    field = {"good": lambda *given: Follower(*given), "bad": lambda *given: Faulty(*given, turn=2)}
    tournament(GOOFSPIEL, field, pairs=3, store=tmp_path / "a.db")
    assert faults(tmp_path / "a.db") == [("bad", 1, "illegal"), ("bad", 0, "illegal")] * 3
    with Store(tmp_path / "a.db", read_only=True) as store:
        assert {len(game.record.actions) for game in store.games()} == {4}, "without the turn at fault"
    assert verify(tmp_path / "a.db").ok


@pytest.mark.parametrize("name", [GOOFSPIEL, "matrix_rps"])
def test_of_two_faults_in_one_turn_the_first_seat_is_charged(name, tmp_path):
    field = {name: lambda *given: Faulty(*given) for name in "ab"}
    result = tournament(name, field, pairs=2, store=tmp_path / "a.db")
    assert faults(tmp_path / "a.db") == [("a", 0, "illegal"), ("b", 0, "illegal")] * 2
    assert [line.score for line in result.standings] == [2.0, 2.0], "the seats of a pair make it even"
    assert verify(tmp_path / "a.db").ok


def test_a_store_is_resumed_merged_verified_replayed_and_exported(tmp_path, capsys):
    store, part, both = (tmp_path / name for name in ("a.db", "b.db", "c.db"))
    command = ["tournament", GOOFSPIEL, "--agents", *FIELD, "--seed", "3", "--workers", "1", "--json"]
    output(capsys, *command, "--pairs", "2", "--store", store)
    known = {game.id for game in Store(store, read_only=True).games()}
    resumed = json.loads(output(capsys, *command, "--pairs", "4", "--store", store))
    whole = json.loads(output(capsys, *command, "--pairs", "4"))
    assert resumed["matrix"] == whole["matrix"]
    assert known < {game.id for game in Store(store, read_only=True).games()}

    output(capsys, *command, "--pairs", "4", "--store", part, "--part", "1/2")
    assert merge([store, part], both).new == [12, 0]
    found = verify(both)
    assert found.ok
    assert (found.games, found.replayed, found.with_dice) == (24, 24, 24)

    lines = [json.loads(line) for line in output(capsys, "export", store, "--format", "jsonl").splitlines()]
    assert len(lines) == 24
    game = load_game(GOOFSPIEL)
    for line in lines[:3]:
        assert replayed(game, line["actions"])[1].returns() == line["returns"]
        text = output(capsys, "replay", store, line["id"])
        assert "[P0]Bid" in text
        assert "[P1]Bid" in text
    with Store(store, read_only=True) as opened:
        one = opened.game(lines[0]["id"])
    walked = list(events(one))
    assert [event.player for event in walked] == [-1, 0, 1] * 3
    assert all((event.seconds is None) == (event.player < 0) for event in walked)
    assert "made in turn" in refusal(capsys, "replay", store, one.id, "--html", tmp_path / "x.html")


def test_a_forged_move_is_found(tmp_path):
    store = tmp_path / "a.db"
    tournament(GOOFSPIEL, ["random", "star2(depth=1)"], pairs=1, store=store)
    with Store(store, read_only=True) as opened:
        row = next(iter(opened.rows()))
    record, game = row.played.record, load_game(GOOFSPIEL)
    assert deviation(game, record, (), row.outcome, None) is None
    actions = (*record.actions[:4], 9, *record.actions[5:])
    forged = replace(record, actions=actions)
    facts = row.outcome.facts._replace(actions_key=key_of_actions(actions))
    said = deviation(game, forged, (), row.outcome._replace(facts=facts), None)
    assert said.startswith("event 4: seat 0 played 9")


def test_start_positions_hold_whole_joint_moves():
    starts = [[3, 0, 1], [2, 3, 0]]
    for record in tournament(GOOFSPIEL, FIELD[:2], pairs=4, starts=starts).pairs:
        for game in record.games:
            assert list(game.actions[:3]) == starts[record.pair.start]
    with pytest.raises(StarspielError, match="one move of each"):
        tournament(GOOFSPIEL, FIELD[:2], pairs=2, starts=[[3, 0]])


@pytest.mark.slow
def test_other_ways_to_compare_agents(tmp_path):
    test = tournament(GOOFSPIEL, ["star2(depth=2)", "random"], sprt="nelo0=0,nelo1=500", pairs=9, seed=1)
    assert test.games > 0
    assert test.sprt is not None
    against = tournament(OSHI_ZUMO, FIELD, format="gauntlet", pairs=2, seed=1)
    assert against.tally.pairs == 4
    made = Ladder(tmp_path / "l", LadderSettings(game=GOOFSPIEL, seed=3))
    made.add(FIELD[:2])
    assert made.play(4).games == 8
    with pytest.raises(StarspielError, match="luck takes games in which players move in turn"):
        tournament(GOOFSPIEL, FIELD[:2], pairs=1, luck="zero")


class Paper(policy.Policy):
    """Rock as player 0, paper as player 1."""

    def __init__(self, game):
        super().__init__(game, [0, 1])

    def action_probabilities(self, state, player_id=None):
        assert player_id is not None, "whose?"
        return {action: float(action == player_id) for action in state.legal_actions(player_id)}


def test_openspiels_policies_play_their_seat_and_other_players_of_its_are_refused():
    game = pyspiel.load_game("matrix_rps")
    for record in tournament(game, {"paper": Paper(game), "rock": lambda *_: FirstMove()}, pairs=1).pairs:
        assert [played.actions for played in record.games] == [(0, 0), (0, 1)]
    for agent, what in (
        ([pyspiel.make_uniform_random_bot(seat, 1) for seat in (0, 1)], r"a C\+\+ bot of OpenSpiel's takes"),
        (mcts.RandomRolloutEvaluator(1, None), "OpenSpiel's MCTS takes"),
    ):
        with pytest.raises(UnsupportedGameError, match=what):
            tournament(game, {"theirs": agent, "random": "random"}, pairs=1)
    with pytest.raises(UnsupportedGameError, match="a rollout takes games in which players move in turn"):
        tournament(game, ["rollout", "random"], pairs=1)


class FirstMove:
    def step(self, state):
        return 0


def test_joint_moves_one_by_one():
    game = load_game(GOOFSPIEL)
    node = game.new_initial_state().child(3)
    begun = one_by_one(node)
    assert isinstance(begun, JointMove)
    assert begun.legal_actions() == node.legal_actions(0)
    half = begun.child(2)
    assert (half.current_player(), half.chosen) == (1, (2,))
    assert half.child(1).history() == [3, 2, 1]
    assert one_by_one(half) is half
