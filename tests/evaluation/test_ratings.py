"""Ratings against fixed tables, an independent package, and simulations with known strengths."""

import choix
import numpy as np
import pytest

from starspiel.evaluation.ratings import ELO, fit, rate
from starspiel.evaluation.stats import PairCounts


def by_seat(agents, table):
    counts = np.zeros((1, agents, agents, 3))
    for (i, j), results in table.items():
        counts[0, i, j] = results
    return counts


def test_two_agents_without_draws_have_the_textbook_difference():
    elo, seat = fit(by_seat(2, {(0, 1): (25, 0, 75), (1, 0): (75, 0, 25)}), prior_sd=np.inf)
    assert elo[0, 0] - elo[0, 1] == pytest.approx(400 * np.log10(3), abs=1e-6)
    assert seat[0] == pytest.approx(0.0, abs=1e-6)


def test_seat_advantage_is_told_from_strength():
    # Equal agents; seat 0 wins 3 of 4.
    elo, seat = fit(by_seat(2, {(0, 1): (25, 0, 75), (1, 0): (25, 0, 75)}), prior_sd=np.inf)
    assert elo[0] == pytest.approx([0, 0], abs=1e-6)
    assert seat[0] == pytest.approx(400 * np.log10(3), abs=1e-6)


def test_fit_agrees_with_choix():
    rng = np.random.default_rng(2)
    strengths = rng.normal(size=5)
    data, table = [], {}
    for i in range(5):
        for j in range(5):
            if i != j:
                wins = int(rng.binomial(40, 1 / (1 + np.exp(strengths[j] - strengths[i]))))
                table[i, j] = (40 - wins, 0, wins)
                data += [(i, j)] * wins + [(j, i)] * (40 - wins)
    # Without a seat term the model is choix's; games in both seats are added up.
    symmetric = by_seat(5, table)
    symmetric = symmetric + np.swapaxes(symmetric, 1, 2)[..., ::-1]
    elo, _ = fit(symmetric, prior_sd=np.inf)
    expected = choix.ilsr_pairwise(5, data) * ELO
    assert elo[0] == pytest.approx(expected - expected.mean(), abs=1e-3)


def test_fit_is_the_maximum_of_davidsons_likelihood():
    table = {
        (0, 1): (10, 8, 22),
        (1, 0): (15, 9, 16),
        (0, 2): (5, 5, 30),
        (2, 0): (25, 6, 9),
        (1, 2): (9, 11, 20),
    }
    elo, seat = fit(by_seat(3, table), prior_sd=np.inf)
    theta, advantage = elo[0] / ELO, seat[0] / ELO

    def likelihood(theta, s, delta):
        total = 0.0
        for (i, j), counts in table.items():
            logits = np.array([theta[j] - s / 2, delta + (theta[i] + theta[j]) / 2, theta[i] + s / 2])
            total += float(np.dot(counts, logits - np.log(np.exp(logits).sum())))
        return total

    grid = np.linspace(-2, 1, 3001)
    delta = grid[np.argmax([likelihood(theta, advantage, d) for d in grid])]
    best = likelihood(theta, advantage, delta)
    for step in (0.02, -0.02):
        for k in range(3):
            moved = theta.copy()
            moved[k] += step
            assert likelihood(moved, advantage, delta) < best
        assert likelihood(theta, advantage + step, delta) < best


def test_perfect_records_stay_finite_and_wide():
    results = PairCounts.of(2, [(0, 1, 1.0, 1.0)] * 10)
    ratings = rate(results, anchor=1)
    assert ratings.elo[1] == ratings.low[1] == ratings.high[1] == 0.0
    assert 300 < ratings.elo[0] < 3000
    assert ratings.low[0] < ratings.elo[0] - 100


def test_unplayed_agents_have_no_rating():
    ratings = rate(PairCounts.of(3, [(0, 1, 1.0, 0.0), (0, 1, 1.0, 1.0)]))
    assert np.isnan(ratings.elo[2])
    assert np.isfinite(ratings.elo[:2]).all()


def test_six_agents_with_a_thousand_resamples_are_quick():
    rng = np.random.default_rng(1)
    games = [(i, j, *rng.choice([0, 0.5, 1], 2)) for i in range(6) for j in range(i) for _ in range(200)]
    ratings = rate(PairCounts.of(6, games), draws=1000)
    assert np.isfinite(ratings.elo).all()
    assert (ratings.low < ratings.elo).all()
    assert (ratings.elo < ratings.high).all()
