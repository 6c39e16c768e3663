"""The checks themselves: shipped adapters pass, and every kind of fault is found and named."""

import re
import time

import gymnasium
import numpy as np
import pyspiel
import pytest

from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.agents.solve import solve
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.conformance import ClaimedGame, check_game
from starspiel.envs.errors import StarspielError
from starspiel.envs.games import GAMES
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import qualifying_games
from starspiel.envs.rules import Rules, RulesState
from starspiel.evaluation import tournament

STOCHASTIC = ["2048", "backgammon", "banqi", "catch", "einstein_wurfelt_nicht", "maedn", "pig"]


@pytest.mark.slow
@pytest.mark.parametrize("spec", STOCHASTIC)
def test_hundreds_of_random_games_keep_the_contract(spec):
    report = check_game(load_game(spec), games=600, positions=600, seconds=4.0)
    assert report.ok, str(report)


@pytest.mark.parametrize("spec", ["2048(max_tile=64)", "yacht(num_dice=2)", "yacht(num_dice=2,players=1)"])
def test_variants_keep_the_contract(spec):
    report = check_game(load_game(spec), games=1000, positions=1000, seconds=3.0)
    assert report.ok, str(report)


@pytest.mark.slow
@pytest.mark.parametrize("spec", sorted(set(qualifying_games()) - set(STOCHASTIC)))
def test_every_other_qualifying_game_keeps_the_contract(spec):
    report = check_game(load_game(spec), games=2, positions=100, seconds=60.0)
    assert report.ok, str(report)


# OpenSpiel's own claims, each of which the adapter corrects or refuses.


def claimed(spec):
    return ClaimedGame(pyspiel.load_game(spec))


def test_finds_the_false_bound_of_2048():
    report = check_game(claimed("2048(max_tile=64)"), games=200, positions=100)
    assert "bounds" in report.failed
    assert "outside the declared utility_range [0, 320]" in str(report)


@pytest.mark.parametrize("spec", ["nim(pile_sizes=0)", "checkers(rows=1,columns=1)"])
def test_finds_that_a_game_is_over_at_its_start(spec):
    report = check_game(spec)
    assert report.failed == ["there is something to play"]
    assert "over at its start" in str(report)


def test_finds_that_the_text_of_einstein_is_no_key():
    report = check_game(claimed("einstein_wurfelt_nicht"), games=20, positions=1000)
    assert report.failed == ["keys"]
    assert "one key for two futures" in str(report)


def test_finds_that_nobody_wins_hyper_backgammon():
    report = check_game(claimed("backgammon(hyper_backgammon=true)"), games=100, positions=100)
    assert report.failed == ["games have results"]
    assert "returns() does not tell who wins" in str(report)


def test_notes_openspiels_false_bound_where_the_adapter_does_not_use_it():
    report = check_game(load_game("2048(max_tile=64)"), games=100, positions=100)
    assert report.ok
    assert any("OpenSpiel's own bounds [0, 320] were passed" in note for note in report.notes)


# A small game of our own, broken in one way after another.


class Race(Rules[tuple[int, int, int]]):
    """Two players in turn take one step or toss for none or two; the first to four wins."""

    name = "race"
    num_distinct_actions = 2

    def initial(self):
        return (0, 0, 0)

    def player(self, position):
        mine, other, turn = position
        if max(mine, other) >= 4:
            return TERMINAL
        return CHANCE if turn >= 2 else turn

    def actions(self, position):
        return [0, 1]

    def chances(self, position):
        return [(0, 0.5), (1, 0.5)]

    def apply(self, position, action):
        steps = [position[0], position[1]]
        turn = position[2]
        if turn < 2 and action == 1:
            return (*steps, turn + 2)
        steps[turn % 2] += 2 * action if turn >= 2 else 1
        return (*steps, 1 - turn % 2)

    def utility(self, position):
        return 1.0 if position[0] >= 4 else -1.0

    def action_name(self, position, player, action):
        return str(action)

    def draw(self, position):
        return str(position)

    def observation(self, position, player):
        return np.array(position, dtype=np.float32) / 5.0


def test_a_sound_game_passes():
    report = check_game(Race(), games=200, positions=500)
    assert report.ok, str(report)
    assert str(report).endswith("race keeps the contract.")


def test_probabilities_must_sum_to_one():
    class Broken(Race):
        def chances(self, position):
            return [(0, 0.5), (1, 0.4)]

    report = check_game(Broken(), games=50, positions=100)
    assert "probabilities" in report.failed
    assert "sum to 0.9" in str(report)


def test_moves_must_be_ascending_and_in_range():
    class Broken(Race):
        num_distinct_actions = 1

    assert "ascending, in range(num_distinct_actions), range(1)" in str(
        check_game(Broken(), games=50, positions=100)
    )

    class Descending(Race):
        def actions(self, position):
            return [1, 0]

    assert check_game(Descending(), games=50, positions=100).failed == ["players and moves"]


def test_a_decision_needs_a_move():
    class Broken(Race):
        def actions(self, position):
            return [] if position[0] == 3 else [0, 1]

    assert "no legal action at a decision" in str(check_game(Broken(), games=50, positions=100))


def test_bounds_must_hold():
    class Broken(Race):
        utility_range = (-1.0, 0.5)

    report = check_game(Broken(), games=50, positions=100)
    assert report.failed == ["bounds"]


def test_returns_before_the_end_need_step_rewards():
    class Paid(RulesState):
        def returns(self):
            return [0.25, -0.25]

        def child(self, action):
            return Paid(self.rules, self.rules.apply(self.position, action))

    class Broken(Race):
        def new_initial_state(self):
            return Paid(self, self.initial())

    report = check_game(Broken(), games=50, positions=100)
    assert "returns as declared" in report.failed
    assert "before the end in a game without step rewards" in str(report)


@pytest.mark.parametrize("method", ["apply", "actions", "draw", "utility"])
def test_rules_that_raise_are_a_finding(method):
    def raises(*_):
        raise KeyError("lost")

    broken = type("Broken", (Race,), {method: raises})
    report = check_game(broken(), games=20, positions=50)
    assert report.failed == ["play goes on"]
    assert "KeyError: 'lost' in raises()" in str(report)


def test_environments_that_raise_are_a_finding():
    class Broken(gymnasium.Env):
        action_space = gymnasium.spaces.Discrete(2)
        observation_space = gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return 0, {}

        def step(self, action):
            raise RuntimeError("the motor is off")

    report = check_game(Broken(), games=5)
    assert not report.ok
    assert "the motor is off" in str(report)


def test_games_must_end(monkeypatch):
    monkeypatch.setattr("starspiel.envs.conformance.walk.LONGEST", 50)

    class Broken(Race):
        def apply(self, position, action):
            return super().apply((0, 0, position[2]), action)

    report = check_game(Broken(), games=10, positions=50)
    assert report.failed == ["games end"]
    assert "bounds" not in [check.name for check in report.checks]


class Sticky(RulesState):
    """`child` changes the state itself."""

    def child(self, action):
        self.position = self.rules.apply(self.position, action)
        return Sticky(self.rules, self.position)


class StickyRace(Race):
    def new_initial_state(self):
        return Sticky(self, self.initial())


class Track:
    """A position that is hashable, and changed in place."""

    def __init__(self):
        self.race = (0, 0, 0)

    def __repr__(self):
        return f"Track{self.race}"


class RaceInPlace(Race):
    """A race over positions that `apply` changes and returns."""

    def initial(self):
        return Track()

    def apply(self, position, action):
        position.race = super().apply(position.race, action)
        return position


def _of_the_race(method):
    return lambda self, position, *given: getattr(Race, method)(self, position.race, *given)


for _method in ("player", "actions", "chances", "utility", "action_name", "draw", "observation"):
    setattr(RaceInPlace, _method, _of_the_race(_method))


@pytest.mark.parametrize("make", [StickyRace, RaceInPlace])
def test_child_must_not_change_its_state(make):
    """It is said by whatever looks ahead first, and the check ends."""
    report = check_game(make(), games=50, positions=10**9, seconds=1.0)
    assert "states stay as they are" in report.failed
    for plays in (
        lambda: search(make().new_initial_state(), limits=Limits(depth=2)),
        lambda: make_bot("greedy", make()),
        lambda: solve(make()),
        lambda: tournament(make(), ["random", "star2(depth=1)"], pairs=1),
    ):
        with pytest.raises(StarspielError, match=r"changed it, which was .* leave the position"):
            plays()


def test_a_call_that_does_not_return_is_given_up(monkeypatch):
    monkeypatch.setattr("starspiel.envs.conformance.timer._GRACE", 0.0)

    class Endless(Race):
        def apply(self, position, action):
            while True:
                time.sleep(0.01)

    report = check_game(Endless(), seconds=0.5)
    assert report.failed == ["every call returns"]
    assert re.search(r"apply\(\), .*test_check.py:\d+ had not returned", str(report))


def test_the_same_history_must_lead_to_the_same_state():
    class Broken(Race):
        made = 0

        def initial(self):
            Broken.made += 1
            return (0, Broken.made % 2, 0)

    assert "replay" in check_game(Broken(), games=100, positions=100).failed


def test_keys_must_tell_futures_apart():
    class Broken(Race):
        def key(self, state):
            return state.position[:2]

    report = check_game(Broken(), games=10, positions=500)
    assert report.failed == ["keys"]


def test_observations_stay_in_range():
    class Broken(Race):
        def observation(self, position, player):
            return np.array(position, dtype=np.float32)

    assert check_game(Broken(), games=10, positions=100).failed == ["encoding"]


@pytest.mark.parametrize(
    "spec", [*sorted(GAMES), "FrozenLake-v1", "Taxi-v4(horizon=50)", "Blackjack-v1(hidden=seen)"]
)
def test_shipped_games_and_environments_keep_the_contract(spec):
    report = check_game(load_game(spec), games=60, positions=1500, seconds=4.0)
    assert report.ok, str(report)


class Slow(Race):
    """Races of many moves, each of which takes its time."""

    name = "slow"
    applied = 0

    def apply(self, position, action):
        time.sleep(0.002)
        self.applied += 1
        return super().apply(position, action)


@pytest.mark.parametrize("seconds", [0.2, 1.0])
def test_a_check_ends_when_its_time_is_up(seconds):
    slow = Slow()
    started = time.perf_counter()
    report = check_game(slow, games=10**6, positions=10**6, seconds=seconds)
    assert time.perf_counter() - started >= seconds / 2
    # Moves take at least their time: few of them are a short time on any machine.
    assert 0 < 0.002 * slow.applied < seconds + 1.0
    assert report.ok
    assert re.search(r"\d+ of 1,000,000 random games were played in the time there was", str(report))


def test_a_first_game_that_takes_all_the_time_leaves_no_verdict():
    class Glacial(Race):
        name = "glacial"

        def apply(self, position, action):
            time.sleep(0.05)
            return super().apply(position, action)

    report = check_game(Glacial(), seconds=0.05)
    assert report.failed == ["games are played"]
    assert "give more seconds" in str(report)
    assert "0 of 1,000 random games" in str(report)
