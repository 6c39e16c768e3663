"""Intervals of means, of normal values and of skewed ones."""

import subprocess
import sys

import numpy as np
import pytest

from starspiel.agents.means import margin, mean_and_error
from starspiel.evaluation.statistics.means import mean_interval, mean_p, values_needed


@pytest.mark.parametrize(
    ("draw", "truth", "values", "least"),
    [
        ("normal", 0.0, 2, 0.94),
        ("normal", 0.0, 5, 0.94),
        ("normal", 0.0, 40, 0.94),
        ("exponential", 1.0, 10, 0.93),
        ("exponential", 1.0, 20, 0.93),
        ("lognormal", np.exp(0.5), 10, 0.89),
        ("lognormal", np.exp(0.5), 50, 0.935),
    ],
)
def test_intervals_and_p_hold_the_truth_as_often_as_they_say(draw, truth, values, least):
    """Student's hold in 83 to 91 % of the skewed cases."""
    drawn = getattr(np.random.default_rng(values), draw)(size=(1500, values))
    found = [mean_interval(own) for own in drawn]
    assert all(low < mean < high for mean, low, high in found)
    held = np.mean([low < truth < high for _, low, high in found])
    assert least < held < 0.978
    assert np.mean([mean_p(own - truth) > 0.05 for own in drawn]) == held
    assert values >= 20 or all(values_needed(own) > values for own in drawn)


def test_intervals_by_hand():
    """1, 2, 3: the standard error is 1/√3, and t is 4.3027 with two degrees of freedom."""
    mean, low, high = mean_interval([1.0, 2.0, 3.0])
    assert (mean, high - mean) == pytest.approx((2.0, 4.30265 / np.sqrt(3)), rel=1e-5)
    assert mean - low == pytest.approx(high - mean)
    assert margin(0.5, 2) == pytest.approx(0.5 * 12.7062, rel=1e-5)
    assert margin(1.0, 10**7) == pytest.approx(1.95996, rel=1e-5)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 1.0], [0.1 + 0.2, 0.3], [0.0] * 9])
def test_values_that_do_not_vary_have_no_interval(values):
    mean, error = mean_and_error(values)
    assert np.isnan(error)
    assert np.isnan(mean) == (not values)
    assert np.isnan(mean_interval(values)[1:]).all()


def test_tournaments_start_without_scipy():
    code = "import sys, starspiel.evaluation; sys.exit('scipy.special' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
