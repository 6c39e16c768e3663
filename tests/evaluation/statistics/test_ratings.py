"""Ratings against fixed tables, independent packages, and simulations with known strengths."""

import choix
import numpy as np
import pyspiel
import pytest
from support.simulated import simulated

from starspiel.evaluation.statistics.bradley_terry import ELO, fit, fit_model
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.ratings import rate, rate_all


def by_seat(agents, table):
    counts = np.zeros((1, agents, agents, 3))
    for (i, j), results in table.items():
        counts[0, i, j] = results
    return counts


@pytest.mark.parametrize(("second", "gap", "advantage"), [((75, 0, 25), 3, 1), ((25, 0, 75), 1, 3)])
def test_strength_is_told_from_the_seat(second, gap, advantage):
    """Seat 0 wins 3 of 4: always the same agent, or both agents."""
    elo, seat = fit(by_seat(2, {(0, 1): (25, 0, 75), (1, 0): second}), prior_sd=np.inf)
    assert elo[0, 0] - elo[0, 1] == pytest.approx(400 * np.log10(gap), abs=1e-6)
    assert seat[0] == pytest.approx(400 * np.log10(advantage), abs=1e-6)


def test_fit_agrees_with_choix_and_with_openspiels_elo():
    rng = np.random.default_rng(6)
    wins = rng.integers(5, 40, size=(4, 4))
    np.fill_diagonal(wins, 0)
    # Half of each meeting from either seat: without a seat effect in the data, the models are the same.
    counts = np.zeros((1, 4, 4, 3))
    counts[0, :, :, 2], counts[0, :, :, 0] = wins / 2, wins.T / 2
    elo, seat = fit(counts, prior_sd=np.inf)
    assert seat[0] == pytest.approx(0.0, abs=1e-6)
    of_choix = choix.ilsr_pairwise_dense(wins) * ELO
    assert elo[0] == pytest.approx(of_choix - of_choix.mean(), abs=1e-3)
    options = pyspiel.elo.default_elo_options()
    options.smoothing_factor, options.convergence_delta, options.max_iterations = 0.0, 1e-12, 10_000
    theirs = np.array(
        pyspiel.elo.compute_ratings_from_matrices(win_matrix=wins.tolist(), draw_matrix=[], options=options)
    )
    assert elo[0] - elo[0].min() == pytest.approx(theirs - theirs.min(), abs=0.05)


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
        assert all(likelihood(theta + step * np.eye(3)[k], advantage, delta) < best for k in range(3))
        assert likelihood(theta, advantage + step, delta) < best


def test_jeffreys_prior_adds_half_a_win_and_half_a_loss_from_each_seat():
    estimate = fit_model(by_seat(2, {(0, 1): (1, 0, 4), (1, 0): (4, 0, 1)})).estimate[0]
    assert estimate[0] - estimate[1] == pytest.approx(np.log(4.5 / 1.5), rel=2e-3)
    assert estimate[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("second", "gap", "advantage"), [((1, 0, 0), 3, 1), ((0, 0, 1), 1, 3)])
def test_a_single_pair_has_the_maximum_with_the_prior(second, gap, advantage):
    """A half and three halves from each seat; four agents in a chain, each beaten by the one before."""
    estimate = fit_model(by_seat(2, {(0, 1): (0, 0, 1), (1, 0): second})).estimate[0]
    assert estimate[0] - estimate[1] == pytest.approx(np.log(gap), abs=2e-3)
    assert estimate[2] == pytest.approx(np.log(advantage), abs=2e-3)
    chain = [((i, i + 1), (0, 0, 1)) for i in range(3)] + [((i + 1, i), second) for i in range(3)]
    theta = fit_model(by_seat(4, dict(chain))).estimate[0][:4]
    assert -np.diff(theta) == pytest.approx([theta[0] - theta[1]] * 3, abs=5e-3)


def test_perfect_records_have_one_open_end():
    ratings = rate(PairCounts.of(2, [(0, 1, 1.0, 1.0)] * 10), anchor=1)
    assert ratings.elo[1] == ratings.low[1] == ratings.high[1] == 0.0
    assert 300 < ratings.elo[0] < 1000
    assert 100 < ratings.low[0] < ratings.elo[0] - 100
    assert ratings.high[0] == np.inf
    field = rate(PairCounts.of(2, [(0, 1, 1.0, 1.0)] * 10))
    assert field.low[1] == -np.inf
    assert field.high[1] == -field.low[0] < 0.0


def test_an_end_is_open_if_no_chain_of_points_leads_back():
    """0 and 1 win everything against 2 and 3, and half of it among themselves; 4 met 5 only."""
    even = [(0, 1, 1.0, 0.0), (2, 3, 1.0, 0.0)] * 5
    games = even + [(i, j, 1.0, 1.0) for i in (0, 1) for j in (2, 3)] * 5
    ratings = rate(PairCounts.of(7, [*games, (4, 5, 1.0, 0.0)]), anchor=0)
    assert np.isfinite([ratings.low[1], ratings.high[1], ratings.high[2], ratings.high[3]]).all()
    assert ratings.low[2] == ratings.low[3] == ratings.low[4] == -np.inf
    assert ratings.high[4] == np.inf, "nobody in common"
    assert np.isnan(ratings.elo).tolist() == [False] * 6 + [True], "the last has not played"
    assert rate(PairCounts.of(4, [*games, (0, 2, 0.0, 0.5)]), anchor=0).low[3] > -np.inf


def test_zero_is_where_the_results_say_where_it_is():
    """Two equals that beat a third are equal to their mean, however often they have beaten it."""
    for pairs in (10, 160):
        ratings = rate(PairCounts.of(3, [(0, 1, 1.0, 0.0), (0, 2, 1.0, 1.0), (1, 2, 1.0, 1.0)] * pairs))
        assert ratings.zero == (0, 1)
        assert ratings.elo[:2] == pytest.approx([0.0, 0.0], abs=1e-6)
        assert ratings.low[2] == -np.inf
        assert np.isfinite([*ratings.low[:2], *ratings.high]).all()
    upset = [(0, 1, 1.0, 0.0), (0, 2, 1.0, 1.0), (1, 2, 1.0, 1.0)] * 40 + [(0, 2, 1.0, 0.0)]
    assert rate(PairCounts.of(3, upset)).zero == (0, 1), "one win does not tell where an agent is"
    assert rate(PairCounts.of(3, [(0, 1, 1.0, 1.0), (1, 2, 1.0, 1.0)] * 5)).zero == (1,)


def test_who_won_two_games_of_many_may_be_much_weaker_and_not_much_stronger():
    lost = [(0, 1, 1.0, 1.0)] * 48
    ratings = rate(PairCounts.of(2, [*lost, (0, 1, 1.0, 0.0), (0, 1, 0.0, 1.0)]), anchor=0)
    down, up = ratings.elo[1] - ratings.low[1], ratings.high[1] - ratings.elo[1]
    assert down > 1.5 * up
    # The ends of the exact interval of 2 wins in 100: 0.24 % and 7.0 %.
    assert ratings.low[1] == pytest.approx(-1046, abs=110)
    assert ratings.high[1] == pytest.approx(-449, abs=30)


GAUNTLET = np.arange(6)[:, None] == 0
FIELDS = {
    "shared luck": ([-120.0, -30.0, 30.0, 120.0], 10, 0.3),
    "one loses everything": ([0.0, 0.0, 0.0, 0.0, -1500.0], 10, 0.0),
    "two castes": ([0.0, 0.0, -900.0, -900.0], 10, 0.0),
    "gauntlet": (-200.0 * np.arange(6), 10 * GAUNTLET, 0.0),
    "gauntlet of few pairs": (-100.0 * np.arange(6), 5 * GAUNTLET, 0.0),
    "many pairs": ([0.0, 0.0, 0.0, 0.0, -1500.0], 50, 0.0),
}


@pytest.mark.parametrize("field", FIELDS)
def test_intervals_hold_the_truth(field):
    """Tournaments whose zero is wherever the results have put it."""
    truth, pairs, luck = FIELDS[field]
    truth = np.array(truth)
    chances = 1.0 / (1.0 + np.exp((truth - truth[:, None]) / ELO))
    held = []
    for own in simulated(np.random.default_rng(2), 80, chances, pairs, luck).counts:
        ratings = rate(PairCounts(own))
        apart = truth - truth[list(ratings.zero)].mean()
        within = (ratings.low <= apart) & (apart <= ratings.high)
        held.append(within[np.ptp(ratings.covariance, axis=1) > 0])
    assert 0.925 < np.concatenate(held).mean() < 0.995


def test_dice_that_decide_pairs_narrow_the_elo_and_widen_the_seat():
    """Pairs of 1 and 1 by the same seat say nothing about who is better, all the more about the seat."""
    apart = [(0, 1, 1.0, 1.0), (0, 1, 0.0, 0.0), (0, 1, 1.0, 0.0), (0, 1, 0.0, 1.0)] * 10
    together = [(0, 1, 1.0, 0.0), (0, 1, 0.0, 1.0)] * 20
    one, other = rate(PairCounts.of(2, apart)), rate(PairCounts.of(2, together))
    assert other.high[0] - other.low[0] < 0.5 * (one.high[0] - one.low[0])
    widths = [each.seat_advantage[2] - each.seat_advantage[1] for each in (one, other)]
    assert widths[1] > 1.2 * widths[0]


@pytest.mark.parametrize(("gap", "seat", "same"), [(3.0, 0.0, False), (0.0, 3.0, True)])
def test_intervals_hold_the_truth_if_dice_decide_pairs_of_unequals_with_draws(gap, seat, same):
    """By the model, with a draw term of 1; both games of a pair use the same throw, or the opposite one."""
    rng, held = np.random.default_rng(5), []
    levels = [np.array([-by / 2, 1.0, by / 2]) for by in (gap + seat, gap - seat)]
    ends = [np.cumsum(np.exp(each) / np.exp(each).sum())[:2] for each in levels]
    for _ in range(100):
        thrown = rng.random(40)
        first = np.searchsorted(ends[0], thrown) / 2
        second = np.searchsorted(ends[1], thrown if same else 1 - thrown) / 2
        ratings = rate(
            PairCounts.of(2, [(0, 1, *each) for each in zip(first, second, strict=True)]), anchor=1
        )
        assert ratings.covariance[0, 0] > 0.0
        _, low, high = ratings.seat_advantage if same else (0.0, ratings.low[0], ratings.high[0])
        held.append(low <= max(gap, seat) * ELO <= high)
    assert np.mean(held) > 0.9


def test_a_batch_rates_as_each_by_itself():
    rng = np.random.default_rng(4)
    games = [[(i, j, *rng.choice([0, 0.5, 1], 2)) for i, j in [(0, 1), (0, 2)] * 6] for _ in range(3)]
    counts = [PairCounts.of(3, own) for own in games]
    together = rate_all(PairCounts(np.stack([own.counts for own in counts])), [0])
    for own, found in zip(counts, together, strict=True):
        alone = rate(own, anchor=0)
        assert found.elo == pytest.approx(alone.elo, abs=1e-6)
        assert found.low == pytest.approx(alone.low, abs=1e-6)
