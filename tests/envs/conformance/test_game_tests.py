"""Tests to inherit: they pass for games that keep the contract, and fail for those that do not."""

import unittest

from starspiel.envs.conformance import GameTests
from starspiel.envs.games.pig import Pig


class Quick(GameTests):
    games = 30
    positions = 200
    seconds = 5.0


class TestOfOpenSpiel(Quick):
    def make_game(self):
        return "pig(winscore=20)"


class TestOfRules(Quick):
    def make_game(self):
        return Pig(goal=15)


class TestOfSamples(Quick):
    def make_game(self):
        return "Blackjack-v1(hidden=seen)"


class OutOfBounds(Pig):
    """Pays more than it declares."""

    def utility(self, position):
        return 3 * super().utility(position)


def failures(make):
    """The tests of a game that fail, by unittest."""

    class Case(Quick, unittest.TestCase):
        def make_game(self):
            return make()

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    return {test._testMethodName: text for test, text in result.failures + result.errors}


def test_a_game_that_breaks_the_contract_fails_and_says_where():
    failed = failures(lambda: OutOfBounds(goal=10))
    assert set(failed) == {"test_keeps_the_contract"}
    assert "outside the declared utility_range" in failed["test_keeps_the_contract"]


def test_a_game_that_cannot_be_sent_fails():
    class Held(Pig):
        """Of a function that no other process finds."""

    assert set(failures(lambda: Held(goal=10))) == {"test_is_sent_to_other_processes"}


def test_a_game_that_starts_differently_each_time_fails():
    class Moving(Pig):
        starts = 0

        def initial(self):
            Moving.starts += 1
            return super().initial()._replace(turn_player=Moving.starts % 2, acting=Moving.starts % 2)

    assert "test_every_game_starts_alike" in failures(lambda: Moving(goal=10))
