"""Rollouts: results less their luck, moves compared with the same dice, the best settled or not."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest

from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.rollouts import Continuation, Trial, roll_out
from starspiel.agents.rollouts.dice import TurnDice
from starspiel.agents.rollouts.rollout import wealth
from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.agents.solve import solve
from starspiel.envs.errors import SpecError
from starspiel.envs.load import load_game

PIG = "pig(winscore=12)"


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    """The exact values of a small pig."""
    file = str(solve(load_game(PIG)).save(tmp_path_factory.mktemp("solved") / "pig.npz"))
    return make_evaluator(f"solution(file={file})", PIG)


def decision(game, *actions):
    state = load_game(game).new_initial_state()
    for action in actions:
        state = state.child(action)
    return state


def test_with_exact_values_every_game_less_its_luck_has_the_value_of_the_move(exact):
    game = load_game(PIG)
    state = decision(PIG, 0, 3)
    for depth in (1, 5, None):
        played = Continuation(game, exact, depth=depth, seed=4)
        for action in state.legal_actions():
            child = state.child(action)
            trials = [played.play(child, number) for number in range(12)]
            assert [trial.adjusted for trial in trials] == pytest.approx([exact(child)] * 12, abs=1e-9)
            if depth is None:
                assert {trial.raw for trial in trials} == {-1.0, 1.0}
            else:
                assert {trial.moves for trial in trials} <= set(range(depth + 1))


@pytest.mark.parametrize("game", [PIG, "star_pig(goal=12)", "pig(players=3)"])
def test_luck_taken_off_leaves_the_mean_and_less_variance(game):
    played = Continuation(load_game(game), make_evaluator("auto", game), depth=8, seed=3)
    state = decision(game)
    while state.current_player() < 0:
        state = state.child(state.chance_outcomes()[0][0])
    trials = [played.play(state.child(state.legal_actions()[0]), number) for number in range(100)]
    raw = np.array([trial.raw for trial in trials])
    adjusted = np.array([trial.adjusted for trial in trials])
    error = (raw - adjusted).std(ddof=1) / np.sqrt(len(raw))
    assert abs(raw.mean() - adjusted.mean()) < 4 * error
    assert adjusted.var() < 0.7 * raw.var()
    assert not played.notes


@pytest.mark.slow
def test_among_three_a_rollout_is_for_whoever_moves():
    """With 25 points kept in a turn and a roll that would lose them, stopping is better for every seat."""
    game, mover = load_game("pig(players=3,winscore=60)"), 2
    state = game.new_initial_state()
    for _ in range(mover):
        state = state.child(1)
    for _ in range(5):
        state = state.child(0).child(4)
    found = make_bot("rollout(n=200,depth=12)", game, mover, seed=1).roll_out(state)
    assert (found.player, found.perspective, found.best_action) == (mover, mover, 1)
    assert found.settled
    assert 0.4 < found.action_values[0] < found.action_values[1] < 0.6


def test_games_of_one_number_have_the_same_dice_turn_by_turn():
    outcomes = [(face, 1 / 6) for face in range(6)]

    def thrown(dice, *turns):
        faces = []
        for player, throws in turns:
            dice.turn_of(player)
            faces.append([dice.throw(outcomes) for _ in range(throws)])
        return faces

    first = thrown(TurnDice(1, 5), (0, 2), (1, 8), (0, 8))
    longer = thrown(TurnDice(1, 5), (0, 6), (1, 8), (0, 8))
    assert first[1:] == longer[1:]
    assert longer[0][:2] == first[0]
    assert thrown(TurnDice(1, 6), (0, 2), (1, 8), (0, 8)) != first
    dice = TurnDice(2, 1)
    counts = Counter(dice.throw([(0, 0.0), (1, 0.25), (2, 0.75)]) for _ in range(4000))
    assert counts[0] == 0
    assert abs(counts[1] - 1000) < 4 * np.sqrt(4000 * 0.25 * 0.75)


class Noisy:
    """A continuation whose results are a mean by move, and noise: common to the moves of a game and own."""

    agent = "noisy"
    depth = None
    notes = ()

    def __init__(self, means, own, common, seed):
        self.game = load_game("tic_tac_toe")
        self.evaluator = make_evaluator("zero", self.game)
        self.means, self.own, self.common = means, own, common
        self.random = np.random.default_rng(seed)
        self.shared = {}

    def play(self, state, number):
        shared = self.shared.setdefault(number, self.common * self.random.normal())
        mean = self.means.get(state.history()[-1], -0.2)
        return Trial(mean + shared + self.own * self.random.normal(), 0.0, 1)


def rolled(continuation, games=400, confidence=0.95):
    state = decision("tic_tac_toe")
    return roll_out(state, continuation, games=games, confidence=confidence)


def test_the_best_move_is_dropped_no_more_often_than_was_asked_for():
    wrong = 0
    for seed in range(60):
        result = rolled(Noisy({3: 0.1, 7: 0.02}, 0.25, 1.0, seed), games=150, confidence=0.8)
        best = next(move for move in result.moves if move.action == 3)
        wrong += best.dropped
        assert result.settled == (sum(not move.dropped for move in result.moves) == 1)
    assert wrong <= 0.2 * 60


def test_a_plain_difference_is_settled_soon_and_none_never():
    plain = rolled(Noisy({3: 0.5}, 0.1, 1.0, 1))
    assert (plain.best_action, plain.settled, plain.ended) == (3, True, "settled")
    assert plain.games < 9 * 20
    equal = rolled(Noisy({3: 0.3, 7: 0.3}, 0.1, 1.0, 1), games=60)
    assert (equal.settled, equal.ended) == (False, "games")
    assert {move.action for move in equal.moves if not move.dropped} == {3, 7}
    assert rolled(Noisy({}, 0.0, 0.0, 1)).ended == "same"


class Few(Noisy):
    """Results of -1 and 1: the move 3 wins with one chance, every other one with another."""

    def __init__(self, best, others, seed):
        super().__init__({}, 0.0, 0.0, seed)
        self.best, self.others = best, others

    def play(self, state, number):
        chance = self.best if state.history()[-1] == 3 else self.others
        return Trial(1.0 if self.random.random() < chance else -1.0, 0.0, 1)


def test_results_that_happen_to_be_equal_settle_nothing():
    """Nine moves that win 97 in 100 games, the best of them 99: the first eight games are often all won."""
    wrong = sum(
        next(move for move in rolled(Few(0.99, 0.97, seed), games=40).moves if move.action == 3).dropped
        for seed in range(40)
    )
    assert wrong <= 0.05 * 40
    lucky = rolled(Few(1.0, 0.0, 1), games=8)
    assert not lucky.settled
    assert {move.value for move in lucky.moves} == {1.0, -1.0}
    assert rolled(Few(1.0, 0.0, 1), games=40).settled


def test_a_bet_wins_no_more_often_than_is_fair():
    """No gains on average, in rare great losses and common small gains, which take Student's test in."""
    draw = np.random.default_rng(1)
    rich = fooled = 0
    for _ in range(400):
        gains = np.where(draw.random(30) < 0.05, -1.9, 0.1)
        rich += wealth(gains, 2.0) >= 20
        fooled += gains.min() > 0
    assert fooled > 0.1 * 400
    assert rich <= 0.05 * 400
    assert wealth(np.full(100, 0.1), 2.0) > 20
    assert wealth(np.zeros(50), 0.0) == 1.0


def test_a_player_who_minimises_gets_the_least_value(exact):
    state = decision(PIG, 1, 0, 2)
    assert state.current_player() == 1
    result = make_bot("rollout(n=30)", PIG, seed=2).roll_out(state)
    best = search(state, "star2", Limits(depth=1), exact).best_action
    assert result.best_action == best
    assert result.value == min(move.value for move in result.moves)


class Misjudged(Noisy):
    """Luck taken off leaves hardly any spread, but for a misjudgement in one game of twenty."""

    def __init__(self, seed):
        super().__init__({}, 0.0, 0.0, seed)

    def play(self, state, number):
        adjusted = 0.005 * self.random.normal() - 0.2 * (self.random.random() < 0.05)
        luck = 0.5 * self.random.normal()
        return Trial(adjusted + luck, luck, 1)


def test_intervals_allow_for_what_few_games_have_not_met():
    moves = [move for seed in range(60) for move in rolled(Misjudged(seed), games=18).moves]
    held = [abs(move.value + 0.01) <= move.margin for move in moves]
    assert len(held) == 60 * 9
    assert np.mean(held) >= 0.93
    many = rolled(Misjudged(1), games=400).moves[0]
    assert many.error == pytest.approx(0.2 * (0.05 * 0.95 / many.games) ** 0.5, rel=0.3)


def test_moves_to_equal_positions_share_their_games():
    result = make_bot("rollout(n=8,depth=1)", "backgammon", seed=1).roll_out(decision("backgammon", 14))
    values = Counter((move.value, move.games) for move in result.moves)
    assert max(values.values()) > 1
    assert result.games == sum(games for _, games in values)


def test_the_agent_named_plays_the_games_on(exact):
    state = decision(PIG, 0, 3)
    file = exact.name.partition("=")[2][:-1]

    def played(agent):
        spec = f"rollout(n=9,depth=0,evaluator={exact.name},agent={agent})"
        return make_bot(spec, PIG, seed=1).roll_out(state)

    perfect, careless = played(f"optimal(solution={file})"), played("random")
    assert [result.agent for result in (perfect, careless)] == [f"optimal(solution={file})", "random"]
    assert perfect.depth is None
    for move in perfect.moves:
        assert move.value == pytest.approx(exact(state.child(move.action)), abs=1e-9)
    assert careless.value < perfect.value - 0.05  # who moves at random afterwards does not hold what is won


def test_drawn_chances_are_played_without_luck_taken_off():
    game = load_game("Blackjack-v1(hidden=seen)")
    bot = make_bot("rollout(n=40)", game, seed=1)
    state = game.new_initial_state()
    while state.current_player() < 0:
        state = state.sample(np.random.default_rng(1))
    result = bot.roll_out(state)
    assert (result.agent, result.evaluator) == ("random", "zero")
    assert "drawn" in result.notes[0]
    assert all(move.value == move.raw for move in result.moves)


def test_a_bot_repeats_itself_by_its_seed_in_copies_and_where_it_is_only_asked():
    state = decision(PIG, 0, 3)
    spec = "rollout(n=9,depth=2,agent=random)"
    bot = make_bot(spec, PIG, seed=7)
    asked = bot.get_policy(state)
    same = [copy.deepcopy(bot), pickle.loads(pickle.dumps(bot)), make_bot(spec, PIG, seed=7)]
    found = bot.roll_out(state)
    assert dict(asked)[found.best_action] == 1.0
    assert all(each.roll_out(state).action_values == found.action_values for each in same)
    assert make_bot(spec, PIG, seed=8).roll_out(state).action_values != found.action_values


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("rollout(n=1)", "n must be a whole number of at least 2, got 1"),
        ("rollout(confidence=1.0)", "confidence must be between 0 and 1"),
        ("rollout(seconds=0)", "seconds must be a positive number, got 0"),
        ("rollout(depth=-1)", "depth must be a whole number of at least 0, got -1"),
        ("rollout(agent=star3)", "unknown agent 'star3'. Did you mean"),
        ("rollout(evaluater=zero)", "evaluater"),
    ],
)
def test_what_cannot_be_is_refused_in_words(spec, problem):
    with pytest.raises(SpecError, match="rollout") as caught:
        make_bot(spec, PIG)
    assert problem in str(caught.value)


def test_moves_to_one_position_that_pay_differently_have_games_of_their_own() -> None:
    game = load_game("CliffWalking-v1")
    moves = make_bot("rollout(n=2,depth=3)", game, 0, 1).roll_out(game.new_initial_state()).moves
    values = {move.action: move.value for move in moves}
    assert values[1] == values[2] - 99 == values[3] - 99
