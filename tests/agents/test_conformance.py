"""Checks of bots and evaluators: sound ones pass, every kind of fault is found and named."""

import itertools
import random
import re
import time

import pytest
from support.three import Race

from starspiel.agents.bot import Bot
from starspiel.agents.conformance import check_bot, check_evaluator
from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.games.pig import Pig


class Plain(Bot):
    """A sound bot to break: the first legal move."""

    def __init__(self, player, seed):
        super().__init__()
        self.random = random.Random(seed)

    def step_with_policy(self, state):
        legal = state.legal_actions()
        return [(a, float(a == legal[0])) for a in legal], legal[0]


class Illegal(Plain):
    def step(self, state):
        return 7


class Meddling(Plain):
    def step(self, state):
        move = super().step(state)
        state.apply_action(move)
        return move


class Fickle(Plain):
    made = itertools.count()

    def __init__(self, player, seed):
        super().__init__(player, seed)
        self.number = next(self.made)

    def step(self, state):
        return state.legal_actions()[self.number % 2 and -1]


class Raising(Plain):
    def step(self, state):
        raise KeyError("no such move")


class Forgetful(Plain):
    def inform_action(self, state, player, action):
        raise KeyError("forgotten")


class Overconfident(Plain):
    def step_with_policy(self, state):
        return [(a, 0.6) for a in (0, 1)], state.legal_actions()[0]


def unmade(player, seed):
    raise OSError("no weights")


@pytest.mark.parametrize(
    ("bot", "check", "says"),
    [
        (Illegal, "moves are legal", "plays 7, but"),
        (Meddling, "the state is left alone", "step() changed the state"),
        (Fickle, "the same seed plays the same", "play differently"),
        (Raising, "every call is answered", "KeyError: 'no such move' in step()"),
        (Forgetful, "every call is answered", "KeyError: 'forgotten' in inform_action()"),
        (Overconfident, "policies are over legal moves", "is not a distribution"),
        (unmade, "every call is answered", "making the bot raised OSError: no weights"),
    ],
)
def test_what_a_bot_does_wrong_is_found_and_named(bot, check, says):
    report = check_bot(bot, "pig(winscore=20)" if bot is Meddling else "star_pig(goal=20)", games=3)
    assert check in report.failed
    assert says in str(report)


def test_a_bot_without_policies_that_plays_no_move_at_all():
    class Broken:
        def __init__(self, move):
            self.move = move

        def step(self, state):
            return self.move

    for move in (-5, 0.0, False, None, "0"):
        report = check_bot(lambda player, seed, move=move: Broken(move), "star_pig(goal=20)", games=2)
        assert "moves are legal" in report.failed, move
        assert f"plays {move!r}, but" in str(report)
        assert "no policy was checked" in str(report)
    assert "no policy" not in str(check_bot(Plain, "star_pig(goal=20)", games=2))


def test_games_that_raise_are_told_by_their_name():
    class Broken(Pig):
        def apply(self, position, action):
            raise KeyError("lost")

    for report in (check_bot("random", Broken(), games=2), check_evaluator("zero", Broken(), positions=9)):
        assert report.failed == ["every call is answered"]
        assert "KeyError: 'lost' in apply()" in str(report)


def test_a_search_that_cannot_play_sampled_chances_is_refused():
    with pytest.raises(UnsupportedGameError, match="sampling search such as star2ss"):
        check_bot("star2(depth=1)", "Blackjack-v1", games=3)


def test_bots_are_asked_after_sampled_chances():
    report = check_bot("star1ss(depth=1,width=2)", "Blackjack-v1", games=6)
    assert report.ok, str(report)
    assert check_evaluator("zero", "Blackjack-v1", positions=30).ok


def test_a_report_of_nothing_is_not_ok():
    report = check_bot("random", "star_pig(goal=20)", games=0)
    assert not report.ok
    assert "was not checked" in str(report)


@pytest.mark.parametrize(
    ("broken", "names"),
    [
        (lambda state: float("nan"), "values are finite numbers"),
        (lambda state: "good", "values are finite numbers"),
        (lambda state: 1 / 0, "every call is answered"),
        (lambda state: 1.5, "values are inside the range"),
        (
            lambda state: state.is_terminal() or state.apply_action(state.legal_actions()[0]) or 0.0,
            "the state",
        ),
    ],
)
def test_broken_evaluators(broken, names):
    report = check_evaluator(broken, "pig", positions=50)
    assert not report.ok
    assert names in str(report.failed)


class Sleeper:
    """Plays the first move, after a nap."""

    def __init__(self, naps, seconds=0.01):
        self.naps, self.seconds = naps, seconds

    def step(self, state):
        nap(self.naps, self.seconds)
        return state.legal_actions()[0]


def nap(naps, seconds=0.01):
    time.sleep(seconds)
    naps.append(1)


def test_a_check_ends_when_its_time_is_up():
    """Naps take at least their time, so that few of them are a short time on any machine."""
    naps = []
    report = check_bot(lambda player, seed: Sleeper(naps), Pig(), games=1000, seconds=0.3)
    assert report.ok
    assert re.search(r"\d+ of 1,000 games were started before time was up", str(report))
    report = check_evaluator(lambda state: nap(naps) or 0.0, Pig(), positions=10**6, seconds=0.3)
    assert report.ok
    assert re.search(r"\d+ of 1,000,000 positions were valued before time was up", str(report))
    assert len(naps) < 200


def test_one_move_is_checked_however_long_it_takes():
    assert check_bot(lambda player, seed: Sleeper([], 0.2), Pig(), seconds=0.1).ok


@pytest.mark.parametrize(
    ("returned", "promised", "failed"),
    [
        ((0.5, 0.5, 0.0), True, None),
        ((0.5, 0.5, 0.5), False, None),
        (0.5, False, "values are finite numbers"),
        ((0.5, 0.5), False, "values are finite numbers"),
        ((0.5, 0.5, 0.5), True, "values sum as promised"),
        ((2.0, 0.0, -1.0), True, "values are inside the range"),
    ],
)
def test_values_of_three_players_are_vectors(returned, promised, failed):
    evaluator = FunctionEvaluator(lambda state: returned)
    evaluator.constant_sum = promised
    report = check_evaluator(evaluator, Race(), positions=50)
    assert [check.name for check in report.checks if not check.ok] == ([failed] if failed else [])
