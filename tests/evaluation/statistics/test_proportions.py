"""Intervals of mean scores: by hand at the ends, and simulated in between."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.proportions import matrix_interval, score_interval


def test_an_unbeaten_agent_has_wilsons_interval_of_its_games():
    low, high = matrix_interval(PairCounts.of(2, [(0, 1, 1.0, 1.0)] * 10))
    student = stats.t.ppf(0.975, 20)
    assert high[0, 1] == 1.0
    assert low[1, 0] == 0.0
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


@pytest.mark.parametrize("pairs", [5, 20])
def test_intervals_hold_the_truth_as_often_as_they_say(pairs):
    rng = np.random.default_rng(pairs)
    counts = np.zeros((2000, 2, 2, 3, 3))
    won = rng.random((2, 2000, pairs)) < 0.7
    for a in (0, 1):
        for b in (0, 1):
            counts[:, 0, 1, 2 * a, 2 * b] = ((won[0] == a) & (won[1] == b)).sum(axis=1)
    low, high = score_interval(PairCounts(counts))
    held = np.mean((low[:, 0] <= 0.7) & (high[:, 0] >= 0.7))
    assert 0.93 < held < 0.985


def test_one_sided_meetings_make_an_agents_interval_no_wider_than_it_says():
    """Six agents, each ten times as likely to win as the next; five pairs."""
    rng = np.random.default_rng(6)
    agents, tournaments = 6, 600
    truth = np.array([[1 / (1 + 10.0 ** (i - j)) for j in range(agents)] for i in range(agents)])
    counts = np.zeros((tournaments, agents, agents, 3, 3))
    for i, j in combinations(range(agents), 2):
        won = rng.random((2, tournaments, 5)) < truth[i, j]
        for a in (0, 1):
            for b in (0, 1):
                counts[:, i, j, 2 * a, 2 * b] = ((won[0] == a) & (won[1] == b)).sum(axis=1)
    low, high = score_interval(PairCounts(counts))
    mean = (truth.sum(axis=1) - 0.5) / (agents - 1)
    assert 0.945 < np.mean((low <= mean) & (mean <= high)) < 0.972


@pytest.mark.parametrize("pairs", [1, 5, 10])
def test_a_few_pairs_against_each_of_many_say_how_much_they_scatter(pairs):
    """Six equal agents, of whom two meet more often than the others, who meet once."""
    rng = np.random.default_rng(pairs)
    counts = np.zeros((1000, 6, 6, 3, 3))
    for i, j in combinations(range(6), 2):
        met = pairs if (i, j) == (0, 1) else 1
        counts[:, i, j, ::2, ::2] = rng.multinomial(met, [0.25] * 4, size=1000).reshape(-1, 2, 2)
    low, high = score_interval(PairCounts(counts))
    assert 0.93 < np.mean((low <= 0.5) & (high >= 0.5)) < 0.995


@pytest.mark.parametrize(("gap", "pairs"), [(200, 5), (200, 20), (400, 50)])
def test_who_is_rarely_beaten_or_rarely_wins_has_no_short_interval(gap, pairs):
    """A gauntlet: the last of those who meet the first win once in 1,000 games or more rarely."""
    rng = np.random.default_rng(pairs)
    chances = 1.0 / (1.0 + 10.0 ** (-gap * np.arange(1, 6) / 400.0))
    counts = np.zeros((1000, 6, 6, 3, 3))
    for j, chance in enumerate(chances, start=1):
        won = rng.random((2, 1000, pairs)) < chance
        for a in (0, 1):
            for b in (0, 1):
                counts[:, 0, j, 2 * a, 2 * b] = ((won[0] == a) & (won[1] == b)).sum(axis=1)
    truth = np.array([chances.mean(), *(1.0 - chances)])
    low, high = score_interval(PairCounts(counts))
    assert np.mean((low <= truth) & (truth <= high), axis=0).min() > 0.93
