from itertools import product
from math import erfc

import numpy as np
import pytest

from starspiel.evaluation.statistics.comparisons import (
    cycles,
    holm,
    p_values,
    pair_score_p,
    rank_sets,
)
from starspiel.evaluation.statistics.intervals import PairCounts


def beats(i, j, pairs=30):
    return [(i, j, 1.0, 1.0)] * (2 * pairs // 3) + [(i, j, 1.0, 0.0)] * (pairs // 3)


def test_holm_by_hand():
    p = np.full((3, 3), np.nan)
    p[0, 1], p[0, 2], p[1, 2] = 0.01, 0.04, 0.03
    adjusted = holm(p)
    assert adjusted[0, 1] == pytest.approx(0.03)
    assert adjusted[1, 2] == pytest.approx(0.06)
    assert adjusted[0, 2] == pytest.approx(0.06)  # never below a smaller one
    assert adjusted[1, 0] == adjusted[0, 1]
    assert np.isnan(adjusted[0, 0])


def test_equal_agents_are_rarely_told_apart():
    rng = np.random.default_rng(1)
    low = 0
    for _ in range(400):
        games = [(0, 1, *rng.choice([0.0, 1.0], 2)) for _ in range(25)]
        low += p_values(PairCounts.of(2, games))[0, 1] < 0.05
    assert low / 400 < 0.05


@pytest.mark.parametrize(
    "five", [(0, 0, 0, 0, 5), (1, 2, 3, 1, 2), (0, 4, 1, 2, 3), (2, 1, 0, 1, 2), (0, 3, 9, 0, 1)]
)
def test_p_goes_through_all_signs(five):
    gaps = np.repeat([-2, -1, 0, 1, 2], five)
    sums = [abs(np.dot(signs, gaps)) for signs in product([1, -1], repeat=len(gaps))]
    assert pair_score_p(five) == pytest.approx(np.mean(np.array(sums) >= abs(gaps.sum())))


def test_p_of_many_pairs_is_that_of_the_normal_distribution():
    spread = np.sqrt((300 + 200) * 1 + (1000 + 900) * 4)
    z = (2 * 1000 + 300 - 200 - 2 * 900 - 1) / spread
    assert pair_score_p((900, 200, 700, 300, 1000)) == pytest.approx(erfc(z / np.sqrt(2)), rel=0.01)


def test_a_cycle_needs_all_three_edges():
    ring = [*beats(0, 1), *beats(1, 2), *beats(2, 0)]
    assert cycles(PairCounts.of(3, ring)) == [(0, 1, 2)]
    weak = [*beats(0, 1), *beats(1, 2), (2, 0, 1.0, 0.0), (2, 0, 1.0, 1.0), (2, 0, 1.0, 0.0)]
    assert cycles(PairCounts.of(3, weak)) == []
    assert cycles(PairCounts.of(3, [*beats(0, 1), *beats(1, 2), *beats(0, 2)])) == []


def test_rank_sets_separate_what_the_data_separate():
    assert rank_sets(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], bool)) == [(1, 1), (2, 3), (2, 3)]
