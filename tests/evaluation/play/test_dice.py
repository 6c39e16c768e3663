"""The dice themselves: fair, reproducible, and independent between keys."""

import itertools

import numpy as np
import pyspiel
import pytest
from scipy import stats

from starspiel.evaluation.play.dice import Dice, content_key, derived_seed, outcome_at

DIE = [(face, 1 / 6) for face in range(6)]


def test_a_roll_is_a_function_of_its_key():
    one, other = Dice(1, "pig", "a", "b", 0), Dice(1, "pig", "a", "b", 0)
    keys = list(itertools.product((-1, 0, 1), range(20), range(10)))
    forwards = [one.uniform(*key) for key in keys]
    backwards = [other.uniform(*key) for key in reversed(keys)]
    assert forwards == backwards[::-1]
    assert len(set(forwards)) == len(keys)
    assert all(0.0 <= value < 1.0 for value in forwards)


def roll(dice, *key):
    return outcome_at(DIE, dice.number(*key))


def test_an_outcome_is_the_inverse_of_the_cumulated_probabilities():
    dice = Dice("inverse")
    outcomes = [(7, 0.5), (3, 0.25), (9, 0.25)]
    for turn in range(500):
        uniform = dice.uniform(0, turn, 0)
        expected = 7 if uniform < 0.5 else 3 if uniform < 0.75 else 9
        assert outcome_at(outcomes, dice.number(0, turn, 0)) == expected


def test_rounding_in_the_probabilities_does_not_lose_the_last_outcome():
    assert outcome_at([(0, 1e-300), (1, 1e-300)], 2**63) == 1


def test_impossible_outcomes_are_never_drawn():
    assert outcome_at([(0, 0.0), (1, 1e-300), (2, 0.0)], 2**63) == 1
    assert outcome_at([(0, 0.0), (1, 1.0), (2, 0.0)], 0) == 1


@pytest.mark.parametrize("axis", ["turn", "event", "pair", "seed", "causer"])
def test_frequencies_along_every_part_of_the_key(axis):
    n = 12_000
    match axis:
        case "turn":
            dice = Dice(5, 0)
            rolls = [roll(dice, 0, k, 0) for k in range(n)]
        case "event":
            dice = Dice(5, 0)
            rolls = [roll(dice, 0, 3, k) for k in range(n)]
        case "pair":
            rolls = [roll(Dice(5, k), 0, 1, 0) for k in range(n)]
        case "seed":
            rolls = [roll(Dice(k, 0), 0, 1, 0) for k in range(n)]
        case _:
            rolls = [roll(Dice(5, k // 3), k % 3 - 1, 1, 0) for k in range(n)]
    assert stats.chisquare(np.bincount(rolls, minlength=6)).pvalue > 1e-3


@pytest.mark.parametrize(
    ("near", "far"),
    [
        (("p", 0, 0, 0), ("p", 1, 0, 0)),  # the two seats
        (("p", 0, 0, 0), ("p", 0, 1, 0)),  # neighbouring turns: lanes of one digest
        (("p", 0, 0, 0), ("p", 0, 8, 0)),  # the same lane of two digests
        (("p", 0, 0, 0), ("p", 0, 0, 1)),  # neighbouring events
        (("p", 0, 0, 0), ("q", 0, 0, 0)),  # two tournaments
    ],
)
def test_neighbouring_keys_are_independent(near, far):
    table = np.zeros((6, 6))
    for k in range(9_000):
        first = roll(Dice(near[0], k), *near[1:])
        second = roll(Dice(far[0], k), *far[1:])
        table[first, second] += 1
    assert stats.chi2_contingency(table).pvalue > 1e-3


def test_derived_seeds_differ_and_suit_openspiel():
    seeds = {derived_seed("bot", 1, "pig", a, b) for a in range(100) for b in range(100)}
    assert len(seeds) > 9_990
    assert derived_seed("ab", "c") != derived_seed("a", "bc")
    pyspiel.make_uniform_random_bot(0, max(seeds))
    assert content_key("a", 1) == content_key("a", 1) != content_key("a", 2)
