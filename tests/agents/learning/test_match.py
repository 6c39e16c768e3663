"""Matches: swapped seats, games that differ, and time for what tells most."""

import random
import threading

import numpy as np
import pytest

from starspiel import load_game
from starspiel.agents.learning import interrupt
from starspiel.agents.learning.match import Pairing, has_chance, play_game, score_matches
from starspiel.agents.roster import bot_maker
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules


def pairing(game, ours, theirs, name="them"):
    return Pairing(name, 1, bot_maker(ours, game), bot_maker(theirs, game))


def test_the_same_games_each_time_and_a_better_player_wins():
    game = load_game("einstein_wurfelt_nicht")
    match = [pairing(game, "star2(depth=1,evaluator=heuristic)", "random")]
    first, second = (score_matches(game, match, 15, threading.Event()) for _ in range(2))
    assert first == second
    assert first[0].games == 30
    assert first[0].share > 0.7
    agent = "star2(depth=1,evaluator=heuristic,ties=first)"
    (score,) = score_matches(game, [pairing(game, agent, agent)], 5, threading.Event())
    assert score.share == 0.5


def test_more_pairs_of_what_is_quick_and_unsure():
    game = load_game("pig(winscore=20)")
    quick, sure = (
        pairing(game, "random", "random", "quick"),
        pairing(game, "random", "mcts(simulations=2000)", "slow"),
    )
    scores = score_matches(game, [quick, sure], 0.5, threading.Event())
    games = {score.opponent: score.games for score in scores}
    assert games["quick"] > 2 * games["slow"] > 0


def test_stopped_within_a_game():
    game = load_game("pig")
    stop, moves = threading.Event(), []

    class Asks:
        def step(self, state):
            moves.append(state)
            stop.set()
            return state.legal_actions()[0]

    match = Pairing("them", 1, lambda seat, seed: Asks(), bot_maker("random", game))
    for _ in range(2):  # the second time it is set before
        assert score_matches(game, [match], 1, stop) is None
        assert len(moves) == 1


def test_who_has_no_time_for_a_pair_has_no_score(monkeypatch):
    game, clock = load_game("pig"), [0.0]
    monkeypatch.setattr(interrupt.time, "perf_counter", lambda: clock[0])

    class Takes:
        def __init__(self, seconds):
            self.seconds = seconds

        def step(self, state):
            clock[0] += self.seconds
            return state.legal_actions()[0]

    def against(seconds):
        return Pairing(f"{seconds:g} s", 1, lambda seat, seed: Takes(seconds), bot_maker("random", game))

    match = [against(1e-6), against(10.0)]
    (score,) = score_matches(game, match, 0.01, threading.Event(), end=50.0)
    assert (score.opponent, score.games % 2) == ("1e-06 s", 0)
    assert clock[0] < 70.0
    assert score_matches(game, match, 3, threading.Event(), end=50.0) == ()


class Recorder:
    def __init__(self, game):
        self.bot = bot_maker("greedy(evaluator=zero)", game)(0, 1)
        self.seen = []

    def step(self, state):
        self.seen.append(str(state))
        return self.bot.step(state)


def test_games_without_chance_begin_differently():
    game = load_game("connect_four")
    firsts = set()
    for seed in range(10):
        bots = Recorder(game), Recorder(game)
        play_game(game, bots, random.Random(seed), threading.Event())
        firsts.add(min((bot.seen[0] for bot in bots), key=lambda text: text.count("x") + text.count("o")))
    assert len(firsts) > 5


@pytest.mark.parametrize(
    ("name", "chance"), [("connect_four", False), ("banqi", True), ("pig", True), ("cant_stop", True)]
)
def test_chance(name, chance):
    assert has_chance(load_game(name)) is chance


class Rings(Rules[tuple[int, int]]):
    """Round and round without end; from ring 2 a coin leads to the end. `ways` lead on, and one back."""

    name = "rings"

    def __init__(self, ways, coin):
        self.num_distinct_actions, self.coin = ways + 1, coin

    def initial(self):
        return (0, 0)

    def player(self, position):
        return CHANCE if self.coin and position[0] == 2 else TERMINAL if position[0] == 3 else position[1]

    def actions(self, position):
        return tuple(range(self.num_distinct_actions))

    def chances(self, position):
        return ((0, 0.5), (1, 0.5))

    def apply(self, position, action):
        ring, mover = position
        return (3, mover) if ring == 2 and self.coin else (0 if action else min(2, ring + 1), 1 - mover)

    def utility(self, position):
        return 1.0 if position[1] else -1.0

    def action_name(self, position, player, action):
        return str(action)

    def draw(self, position):
        return str(position)

    def observation(self, position, player):
        return np.zeros(1, np.float32)


@pytest.mark.parametrize("coin", [True, False])
def test_chance_that_is_rare_is_found_in_games_without_end(coin):
    assert has_chance(Rings(9, coin)) is coin
