"""Student's intervals of means."""

import subprocess
import sys

import numpy as np
import pytest

from starspiel.agents.means import margin, mean_and_error
from starspiel.evaluation.statistics.means import mean_interval


@pytest.mark.parametrize("values", [2, 3, 5, 10, 40])
def test_intervals_hold_the_truth_as_often_as_they_say(values):
    rng = np.random.default_rng(values)
    hits = 0
    for _ in range(4000):
        mean, low, high = mean_interval(rng.normal(1000.0, 5.0, size=values))
        assert low < mean < high
        hits += low < 1000.0 < high
    assert hits / 4000 == pytest.approx(0.95, abs=0.012)


def test_by_hand():
    """1, 2, 3: the standard error is 1/√3, and t is 4.3027 with two degrees of freedom."""
    mean, low, high = mean_interval([1.0, 2.0, 3.0])
    assert (mean, high - mean) == pytest.approx((2.0, 4.30265 / np.sqrt(3)), rel=1e-5)
    assert mean - low == pytest.approx(high - mean)
    assert margin(0.5, 2) == pytest.approx(0.5 * 12.7062, rel=1e-5)
    assert margin(1.0, 10**7) == pytest.approx(1.95996, rel=1e-5)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 1.0], [0.1 + 0.2, 0.3], [0.0] * 9])
def test_where_nothing_varies_there_is_no_interval(values):
    mean, error = mean_and_error(values)
    assert np.isnan(error)
    assert np.isnan(mean) == (not values)
    assert np.isnan(mean_interval(values)[1:]).all()


def test_tournaments_start_without_scipy():
    code = "import sys, starspiel.evaluation; sys.exit('scipy.special' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
