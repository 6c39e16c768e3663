"""Looking again and again: p-values and intervals that hold at every moment, and after a sequential test."""

import numpy as np
import pytest

from starspiel.evaluation.statistics.after_sprt import ratings_after, score_after
from starspiel.evaluation.statistics.always_valid import (
    always_valid_interval,
    always_valid_mean_p,
    always_valid_p,
    log_capital,
)
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.ratings import rate
from starspiel.evaluation.statistics.sprt import Sprt


@pytest.mark.parametrize("shares", [[0.25, 0, 0.5, 0, 0.25], [0.05, 0.1, 0.7, 0.1, 0.05]])
def test_looks_every_ten_pairs_rarely_refute_the_truth(shares):
    rng = np.random.default_rng(1)
    refuted = 0
    for _ in range(120):
        looks = rng.multinomial(10, shares, size=60).cumsum(axis=0)
        refuted += any(log_capital(five, 0.5) >= np.log(20) for five in looks)
    assert refuted / 120 <= 0.05


SHAPES = {
    "normal": lambda rng: rng.normal(size=1000),
    "lognormal": lambda rng: rng.lognormal(0.0, 1.0, 1000) - np.exp(0.5),
    "lost often": lambda rng: np.exp(0.5) - rng.lognormal(0.0, 1.0, 1000),
    "few values": lambda rng: rng.choice([-1.0, 9.0], p=[0.9, 0.1], size=1000),
}


@pytest.mark.parametrize("drawn", SHAPES.values(), ids=SHAPES)
def test_looks_at_a_mean_every_ten_values_rarely_refute_the_truth(drawn):
    rng = np.random.default_rng(3)
    refuted = 0
    for _ in range(80):
        values = drawn(rng)
        refuted += any(always_valid_mean_p(values[:size]) < 0.05 for size in range(10, 1001, 30))
    assert refuted / 80 <= 0.05


def test_a_mean_that_is_not_zero_is_found():
    values = np.random.default_rng(1).normal(0.5, 1.0, 200)
    assert always_valid_mean_p(values) < 0.001
    assert always_valid_mean_p(-values) == pytest.approx(always_valid_mean_p(values))
    assert [always_valid_mean_p(few) for few in (values[:40], [], [2.0] * 90)] == [1.0] * 3


def test_p_and_interval_agree_and_find_differences():
    assert always_valid_p((0, 0, 0, 0, 0)) == 1.0
    assert always_valid_interval((0, 0, 0, 0, 0)) == (0.0, 1.0)
    assert always_valid_p((20, 0, 40, 0, 40)) > 0.05
    low, high = always_valid_interval((200, 0, 400, 0, 400))
    assert 0.5 < low < 0.6 < high < 0.65
    assert always_valid_p((200, 0, 400, 0, 400)) < 1e-6


def test_the_score_after_a_test_is_pulled_back():
    five = (0, 1, 4, 3, 9)
    test = Sprt(0.0, 100.0)
    estimate, low, high = score_after(test, five)
    plain = float(np.dot(five, np.arange(5)) / 4 / sum(five))
    assert low < estimate < high
    assert test.verdict(five) == "upper"
    assert estimate < plain


@pytest.mark.parametrize("five", [(0, 0, 2, 10, 0), (0, 0, 0, 0, 12)])
def test_the_score_after_the_fastest_win_is_that_of_the_pairs(five):
    """All strong agents stop after the same pair, so only the scores tell how strong."""
    test, mirrored = Sprt(0.0, 100.0, normalized=False), Sprt(-100.0, 0.0, normalized=False)
    plain = float(np.dot(five, np.arange(5)) / 4 / sum(five))
    estimate, low, high = score_after(test, five)
    assert test.verdict(five) == "upper"
    assert estimate == pytest.approx(plain, abs=0.02)
    assert plain - 0.25 < low < plain - 0.1 < high < plain + 0.1
    assert score_after(mirrored, five[::-1]) == pytest.approx((1 - estimate, 1 - high, 1 - low), abs=1e-3)


@pytest.mark.parametrize("anchor", [None, 0, 1])
def test_elo_after_a_test_is_that_of_the_adjusted_score(anchor):
    counts = np.zeros((2, 2, 3, 3))
    counts[0, 1, 0, 0], counts[0, 1, 0, 2], counts[0, 1, 2, 0], counts[0, 1, 2, 2] = 1, 3, 3, 9
    results, test = PairCounts(counts), Sprt(0.0, 100.0, normalized=False)
    plain = rate(results, anchor=anchor)
    adjusted = ratings_after(test, results, plain)
    score, low, high = (400 * np.log10(s / (1 - s)) for s in score_after(test, results.five(0, 1)))
    first, second = adjusted.elo
    assert first - second == pytest.approx(score, abs=0.5)
    assert first - second < 400 * np.log10(3)  # of the plain score, 0.75
    share = {None: 0.5, 0: 0.0, 1: 1.0}[anchor]
    assert first == pytest.approx(share * (first - second))
    assert (adjusted.low[0], adjusted.high[0]) == pytest.approx((share * low, share * high), abs=0.5)


@pytest.mark.slow
def test_elo_after_a_test_holds_the_truth():
    rng, held, errors = np.random.default_rng(4), 0, []
    test, chance = Sprt(0.0, 60.0, normalized=False), 1 / (1 + 10 ** (-60 / 400))
    for _ in range(20):
        counts = np.zeros((2, 2, 3, 3))
        while test.verdict(PairCounts(counts).five(0, 1)) is None:
            counts[0, 1, *(2 * rng.binomial(1, chance, 2))] += 1
        results = PairCounts(counts)
        found = ratings_after(test, results, rate(results))
        held += 2 * found.low[0] <= 60 <= 2 * found.high[0]
        errors.append(2 * found.elo[0] - 60)
    assert held / 20 > 0.8
    assert abs(np.mean(errors)) < 15


@pytest.mark.slow
@pytest.mark.parametrize("shares", [(0.02, 0.0, 0.08, 0.0, 0.9), (0.0, 0.0, 0.15, 0.8, 0.05)])
def test_the_score_after_a_test_holds_the_truth_far_from_both_hypotheses(shares):
    """There the log-likelihood ratio grows much more slowly than the score."""
    rng, test, truth = np.random.default_rng(2), Sprt(0.0, 50.0), float(np.dot(shares, np.arange(5)) / 4)
    held, errors = 0, []
    for _ in range(12):
        five = np.zeros(5, int)
        while test.verdict(tuple(five)) is None:
            five[rng.choice(5, p=shares)] += 1
        estimate, low, high = score_after(test, tuple(five))
        held += low <= truth <= high
        errors.append(estimate - truth)
    assert held >= 10
    assert abs(np.median(errors)) < 0.04
