"""SPRT against published vectors, fixed tables, and its own promised error rates."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.sprt import (
    NELO,
    Sprt,
    nearest_normalized,
    normalized_elo,
)

SCORES = np.arange(5) / 4
counts = st.lists(st.integers(0, 30) | st.integers(0, 20_000), min_size=5, max_size=5)
elos = st.floats(-1000.0, 1000.0)

VECTOR = (39, 8843, 26675, 9240, 44)


def test_published_vector():
    assert Sprt(0.5, 2.5).llr(VECTOR) == pytest.approx(2.94168, abs=1e-5)
    assert Sprt(0.0, 2.0, normalized=False).llr(VECTOR) == pytest.approx(4.17397, abs=1e-5)


@settings(max_examples=25, deadline=None)
@given(counts, elos, elos, st.booleans())
@example([3, 0, 0, 3, 0], 0.0, 300.0, True)
def test_the_other_side_sees_the_negative(five, lower, upper, normalized):
    assume(lower < upper)
    here, there = Sprt(lower, upper, normalized), Sprt(-upper, -lower, normalized)
    assert here.llr(five) == pytest.approx(-there.llr(five[::-1]), rel=1e-6, abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(counts, elos, st.lists(st.floats(1e-4, 1.0), min_size=5, max_size=5))
@example([3, 0, 0, 3, 0], 300.0, [1.0] * 5)
@example([3, 0, 0, 3, 0], 1000.0, [1e-4, 1e-4, 1e-4, 1.0, 1e-4])
def test_no_shares_that_fit_the_hypothesis_are_likelier(five, nelo, others):
    """Against any other shares, bent until they fit."""
    assume(sum(five) and abs(nelo) > 250)
    observed = np.maximum(five, 1e-3) / np.maximum(five, 1e-3).sum()
    t = np.sqrt(2) * nelo / NELO
    nearest = np.array(nearest_normalized(observed.tolist(), t))
    assert nearest.sum() == pytest.approx(1.0)
    assert _in_deviations(nearest) == pytest.approx(t, abs=1e-5)
    low, high = -200.0, 200.0
    for _ in range(80):
        middle = (low + high) / 2
        bent = others * np.exp(middle * (SCORES - (middle > 0)))
        low, high = (middle, high) if _in_deviations(bent / bent.sum()) < t else (low, middle)
    bent /= bent.sum()
    assume(abs(_in_deviations(bent) - t) < 1e-5)
    assert observed @ np.log(nearest / bent) > -1e-7


def _in_deviations(shares):
    mean = shares @ SCORES
    return (mean - 0.5) / np.sqrt(shares @ (SCORES - mean) ** 2)


def test_the_ratio_has_no_jump_where_the_iteration_gives_up():
    for five in [(3, 0, 0, 3, 0), (0, 3, 0, 0, 3), (5, 10, 50, 20, 9), (1, 0, 0, 0, 99)]:
        ratios = [Sprt(0.0, upper).llr(five) for upper in np.linspace(228.0, 236.0, 9)]
        steps = np.diff(ratios)
        assert np.abs(np.diff(steps)).max() < 0.01 * np.abs(steps).max()


def test_bounds_and_verdicts():
    test = Sprt(0.0, 50.0)
    low, high = test.bounds
    assert (low, high) == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    assert test.verdict((0, 0, 0, 0, 0)) is None
    assert test.verdict((3, 5, 60, 6, 3)) is None
    assert test.verdict((0, 10, 100, 60, 30)) == "upper"
    assert test.verdict((30, 60, 100, 10, 0)) == "lower"


def test_nelo_by_hand():
    five = (0, 1, 2, 1, 4)  # mean 0.75, variance 5/64
    assert normalized_elo(five) == pytest.approx(0.25 / np.sqrt(10 / 64) * 800 / np.log(10))
    assert normalized_elo((7, 0, 0, 0, 0)) == -np.inf


def test_smoothed_counts_have_a_finite_normalized_elo():
    results = PairCounts.of(2, [(0, 1, 1.0, 1.0)] * 10)
    five = results.smoothed_five(0, 1)
    assert five == pytest.approx([10 / 10.5 * n for n in (0.125, 0.0, 0.25, 0.0, 10.125)])
    assert results.smoothed_five(1, 0) == pytest.approx(five[::-1])
    assert normalized_elo(five) == pytest.approx(890, abs=1)
    assert normalized_elo(five[::-1]) == pytest.approx(-890, abs=1)
    many = PairCounts.of(2, [(0, 1, 1.0, 1.0), (0, 1, 1.0, 0.0)] * 500)
    assert normalized_elo(many.smoothed_five(0, 1)) == pytest.approx(
        normalized_elo(many.five(0, 1)), rel=0.01
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nelo0=5,nelo1=0", "below"),
        ("nelo0=0", "nelo0 and nelo1"),
        ("nelo0=0,elo1=5", "nelo0 and nelo1"),
        ("nelo0=0,nelo1=five", "number"),
        ("nlo0=0,nelo1=5", "Did you mean 'nelo0'"),
        ("nelo0=0,nelo1=5,alpha=0.7", "alpha"),
        ("nelo0=0,nelo1=inf", "between -1000 and 1000"),
        ("elo0=-1001,elo1=0", "between -1000 and 1000"),
        ("nelo0=nan,nelo1=1", "below"),
        ("", "expected"),
    ],
)
def test_wrong_tests_are_refused(text, says):
    with pytest.raises(StarspielError, match=says):
        Sprt.parse(text)


def test_tests_are_read_from_text():
    assert Sprt.parse("nelo0=0, nelo1=5") == Sprt(0, 5)
    assert Sprt.parse("elo0=-1,elo1=3,alpha=0.1,beta=0.2") == Sprt(-1, 3, False, 0.1, 0.2)


@pytest.mark.slow
@pytest.mark.parametrize("truth", ["lower", "upper"])
def test_error_rates_by_simulation(truth):
    """If one hypothesis is true, the other is accepted about 5 % of the time."""
    test = Sprt(0.0, 60.0)
    mean_shift = {"lower": 0.0, "upper": 60.0}[truth] * np.log(10) / 800
    shares = np.array([0.15, 0.2, 0.3, 0.2, 0.15])
    # Tilt until the mean is ½ + nElo · √2 σ · ln 10 / 800.
    tilted = [shares * np.exp(tilt * SCORES) for tilt in np.linspace(0, 1, 2001)]
    tilted = [weights / weights.sum() for weights in tilted]
    shares = min(tilted, key=lambda own: abs(_in_deviations(own) - mean_shift * np.sqrt(2)))
    rng, wrong = np.random.default_rng(5), 0
    for _ in range(200):
        five = np.zeros(5, dtype=int)
        while (verdict := test.verdict(five)) is None:
            five += rng.multinomial(8, shares)
        wrong += verdict != truth
    assert wrong / 200 < 0.08
