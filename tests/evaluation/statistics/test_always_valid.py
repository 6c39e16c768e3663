"""Looking again and again: p-values and intervals that hold at every moment, and after a sequential test."""

import numpy as np
import pytest

from starspiel.evaluation.statistics.after_sprt import score_after
from starspiel.evaluation.statistics.always_valid import always_valid_interval, always_valid_p, log_capital
from starspiel.evaluation.statistics.sprt import Sprt


@pytest.mark.parametrize("shares", [[0.25, 0, 0.5, 0, 0.25], [0.05, 0.1, 0.7, 0.1, 0.05]])
def test_looks_every_ten_pairs_rarely_refute_the_truth(shares):
    rng = np.random.default_rng(1)
    refuted = 0
    for _ in range(200):
        looks = rng.multinomial(10, shares, size=100).cumsum(axis=0)
        refuted += any(log_capital(five, 0.5) >= np.log(20) for five in looks)
    assert refuted / 200 <= 0.05


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
