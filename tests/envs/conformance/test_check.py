"""The checks themselves: shipped adapters pass, and every kind of fault is found and named."""

import itertools
import re
import time

import gymnasium
import numpy as np
import pytest

from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.agents.solve import solve
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.conformance import check_game
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame, load_pyspiel, qualifying_games
from starspiel.envs.rules import Rules, RulesState
from starspiel.evaluation import tournament

STOCHASTIC = ["2048", "backgammon", "banqi", "catch", "einstein_wurfelt_nicht", "maedn", "pig"]


@pytest.mark.slow
@pytest.mark.parametrize("spec", sorted({*qualifying_games(), *STOCHASTIC}))
def test_every_qualifying_game_keeps_the_contract(spec):
    counts = (
        {"games": 100, "positions": 300, "seconds": 0.7}
        if spec in STOCHASTIC
        else {"games": 2, "positions": 100}
    )
    report = check_game(load_game(spec), **counts)
    assert report.ok, str(report)


@pytest.mark.parametrize("spec", ["2048(max_tile=64)", "yacht(num_dice=2)", "yacht(num_dice=2,players=1)"])
def test_variants_keep_the_contract(spec):
    report = check_game(load_game(spec), games=30, positions=300, seconds=0.7)
    assert report.ok, str(report)


class ClaimedGame(OpenSpielGame):
    """An OpenSpiel game as it declares itself: its own bounds, and its text as the key."""

    def __init__(self, game):
        super().__init__(game)
        self.utility_range = game.min_utility(), game.max_utility()
        self.key = str


@pytest.mark.parametrize(
    ("spec", "failed", "said"),
    [
        ("2048(max_tile=64)", "bounds", "outside the declared utility_range [0, 320]"),
        ("einstein_wurfelt_nicht", "keys", "one key for two futures"),
        ("backgammon(hyper_backgammon=true)", "games have results", "returns() does not tell who wins"),
        ("nim(pile_sizes=0)", "there is something to play", "over at its start"),
        ("checkers(rows=1,columns=1)", "there is something to play", "over at its start"),
    ],
)
def test_finds_what_openspiel_claims_wrongly(spec, failed, said, monkeypatch):
    monkeypatch.setattr("starspiel.envs.openspiel.game.broken", lambda game: None)
    report = check_game(ClaimedGame(load_pyspiel(spec)), games=100, positions=600)
    assert failed in report.failed
    assert said in str(report)


def test_notes_openspiels_false_bound_if_the_adapter_does_not_use_it():
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
    report = check_game(Race(), games=50, positions=500)
    assert report.ok, str(report)
    assert str(report).endswith("race keeps the contract.")


class Paid(RulesState):
    """Pays before the end."""

    def returns(self):
        return [0.25, -0.25]

    def child(self, action):
        return Paid(self.rules, self.rules.apply(self.position, action))


def raises(*_):
    raise KeyError("lost")


STARTS = itertools.count()
BROKEN = {
    "chances are few": (
        {"chances": lambda *_: [(0, 0.5), (1, 0.4)]},
        "probabilities",
        "sum to 0.9",
    ),
    "tosses again and again": (
        {"apply": lambda self, p, a: p if p[2] >= 2 and a == 0 else Race.apply(self, p, a)},
        "probabilities",
        "lead back to this position without a decision",
    ),
    "moves out of range": ({"num_distinct_actions": 1}, "players and moves", "ascending, in range"),
    "moves descend": ({"actions": lambda *_: [1, 0]}, "players and moves", "ascending"),
    "no move": (
        {"actions": lambda self, position: [] if position[0] == 3 else [0, 1]},
        "players and moves",
        "no legal action at a decision",
    ),
    "bounds": ({"utility_range": (-1.0, 0.5)}, "bounds", "outside the declared utility_range"),
    "early returns": (
        {"new_initial_state": lambda self: Paid(self, self.initial())},
        "returns as declared",
        "before the end in a game without step rewards",
    ),
    "no end": (
        {"apply": lambda self, position, action: Race.apply(self, (0, 0, position[2]), action)},
        "games end",
        "nothing is known of their returns",
    ),
    "other starts": ({"initial": lambda self: (0, next(STARTS) % 2, 0)}, "replay", "lead elsewhere"),
    "too short a key": ({"key": lambda self, state: state.position[:2]}, "keys", "one key for two futures"),
    "observation out of range": (
        {"observation": lambda self, position, player: np.array(position, np.float32)},
        "encoding",
        "values in [0, 1]",
    ),
    **{
        f"{method} raises": ({method: raises}, "play goes on", "KeyError: 'lost' in raises()")
        for method in ("apply", "actions", "draw", "utility")
    },
}


@pytest.mark.parametrize("broken", BROKEN)
def test_finds_what_is_broken(broken, monkeypatch):
    monkeypatch.setattr("starspiel.envs.conformance.walk.LONGEST", 50)
    changes, failed, said = BROKEN[broken]
    report = check_game(type("Broken", (Race,), changes)(), games=50, positions=500)
    assert failed in report.failed
    assert len(report.failed) == 1 or broken in ("early returns", "other starts")
    assert said in str(report)


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


class Slow(Race):
    """Races of many moves, each of which takes its time."""

    name = "slow"
    applied = 0

    def apply(self, position, action):
        time.sleep(0.002)
        self.applied += 1
        return super().apply(position, action)


def test_a_check_ends_when_its_time_is_up():
    seconds, slow = 1.0, Slow()
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
