"""Intervals of mean scores: by hand at the ends, and simulated in between."""

import numpy as np
import pytest
from scipy import stats
from support.simulated import simulated

from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.proportions import matrix_interval, score_interval


def test_an_unbeaten_agent_has_wilsons_interval_of_its_games():
    low, high = matrix_interval(PairCounts.of(2, [(0, 1, 1.0, 1.0)] * 10))
    student = stats.t.ppf(0.975, 20)
    assert (high[0, 1], low[1, 0]) == (1.0, 0.0)
    assert low[0, 1] == pytest.approx(20 / (20 + student**2))
    assert high[1, 0] == pytest.approx(1.0 - low[0, 1])
    assert np.isnan(low[0, 0])


def test_intervals_mirror_and_hold_the_mean():
    rng = np.random.default_rng(5)
    results = PairCounts.of(3, [(i, j, *rng.choice([0, 0.5, 1], 2)) for i, j in [(0, 1), (2, 1)] * 7])
    low, high = matrix_interval(results)
    for i, j in ((0, 1), (1, 2)):
        assert low[i, j] < results.matrix[i, j] < high[i, j]
        assert low[j, i] == pytest.approx(1.0 - high[i, j])


def test_pairs_that_always_end_even_are_surer_than_independent_games():
    even = PairCounts.of(2, [(0, 1, 1.0, 0.0)] * 20)
    apart = PairCounts.of(2, [(0, 1, 1.0, 1.0), (0, 1, 0.0, 0.0), (0, 1, 1.0, 0.0), (0, 1, 0.0, 1.0)] * 5)
    widths = [np.subtract(*score_interval(own)[::-1])[0] for own in (even, apart)]
    assert widths[0] < 0.5 * widths[1]


def test_two_agents_have_one_interval():
    results = PairCounts.of(2, [(0, 1, 1.0, 0.5), (0, 1, 1.0, 0.0), (0, 1, 0.0, 1.0)])
    for score, of_matrix in zip(score_interval(results), matrix_interval(results), strict=True):
        assert score == pytest.approx([of_matrix[0, 1], of_matrix[1, 0]])


def gauntlet(gap):
    """A field whose first agent meets the others, each this many Elo weaker than the one before."""
    chances = np.full((6, 6), 0.5)
    chances[0, 1:] = 1.0 / (1.0 + 10.0 ** (-gap * np.arange(1, 6) / 400.0))
    chances[1:, 0] = 1.0 - chances[0, 1:]
    return chances


TEN_TIMES = np.array([[1 / (1 + 10.0 ** (i - j)) for j in range(6)] for i in range(6)])
ONLY_FIRST = np.arange(6)[:, None] == 0
OFTEN = {pairs: np.where((np.add.outer(range(6), range(6)) == 1), pairs, 1) for pairs in (1, 5, 10)}


@pytest.mark.parametrize(
    ("chances", "pairs", "low", "high"),
    [
        (np.array([[0.5, 0.7], [0.3, 0.5]]), 5, 0.93, 0.985),
        (np.array([[0.5, 0.7], [0.3, 0.5]]), 20, 0.93, 0.985),
        (TEN_TIMES, 5, 0.945, 0.972),  # one-sided meetings make no interval too wide
        (np.full((6, 6), 0.5), OFTEN[1], 0.93, 0.995),  # a few pairs against each of many
        (np.full((6, 6), 0.5), OFTEN[10], 0.93, 0.995),
        (gauntlet(200), 5 * ONLY_FIRST, 0.93, 1.0),  # who rarely wins has no short interval
        (gauntlet(400), 50 * ONLY_FIRST, 0.93, 1.0),
    ],
)
def test_intervals_hold_the_truth_as_often_as_they_say(chances, pairs, low, high):
    results = simulated(np.random.default_rng(5), 800, chances, pairs)
    met = results.pairs[0] > 0
    truth = (chances * met).sum(axis=1) / met.sum(axis=1)
    ends = score_interval(results)
    held = (ends[0] <= truth) & (truth <= ends[1])
    assert low < held.mean() < high
    assert held.mean(axis=0).min() > 0.92
