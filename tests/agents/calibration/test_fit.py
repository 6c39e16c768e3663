"""The line through what is said and what is true: known lines come back, bends are told from noise."""

import numpy as np
import pytest

from starspiel.agents.calibration.fit import fit


def sample(says, count, noise, seed):
    draw = np.random.default_rng(seed)
    truths = draw.uniform(-1, 1, count)
    shown = truths + noise * draw.normal(size=count)
    return fit(says(truths), shown, np.full(count, noise**2), seed)


def test_an_exact_line_comes_back_without_bend_scatter_or_width():
    found = sample(lambda truth: 0.25 * truth - 0.5, 100, 0.0, 1)
    for number, expected in ((found.slope, 4.0), (found.offset, 2.0)):
        assert (number.low, number.value, number.high) == pytest.approx([expected] * 3, abs=1e-9)
    assert max(found.bend.high, found.scatter.high) < 1e-6
    assert found.error.value > 0.5
    assert found.spread == pytest.approx(np.sqrt(1 / 3), rel=0.1)


def test_intervals_hold_the_truth_nineteen_times_in_twenty():
    found = [sample(lambda truth: 0.5 * truth, 80, 0.4, seed) for seed in range(60)]
    for name, expected in (("slope", 2.0), ("offset", 0.0)):
        held = sum(getattr(each, name).low <= expected <= getattr(each, name).high for each in found)
        assert held >= 60 * 0.95 - 4 * np.sqrt(60 * 0.05 * 0.95)
    assert sum(each.bend.low > 0 for each in found) <= 7
    assert np.mean([each.scatter.value for each in found]) < 0.12  # all of it is the sampling error


def test_intervals_of_few_positions_hold_the_truth_too():
    """Twenty positions, of which the evaluator tells two from the others: little is known of the slope."""
    said = np.array([1.0, 1.0, *[0.0] * 18])
    held = []
    for seed in range(120):
        shown = 0.3 * said + np.random.default_rng(seed).normal(size=20)
        slope = fit(said, shown, np.zeros(20), seed).slope
        held.append(slope.low <= 0.3 <= slope.high)
    assert sum(held) >= 120 * 0.95 - 4 * np.sqrt(120 * 0.05 * 0.95)
    alone = fit(np.array([1.0, *[0.0] * 19]), np.arange(20.0), np.zeros(20), 1)
    assert (alone.slope.low, alone.offset.high) == (-np.inf, np.inf)


def test_the_bend_of_an_exact_curve_is_all_of_its_scatter():
    """A curve of third degree through few positions, some of them far out: no chance is taken off."""
    said = np.random.default_rng(4).normal(size=40)
    truths = said + 0.3 * said**2 - 0.1 * said**3
    bend = np.std(truths - np.polyval(np.polyfit(said, truths, 1), said))
    found = fit(said, truths, np.zeros(40), 1)
    assert (found.bend.value, found.scatter.value) == pytest.approx([bend] * 2)


def test_scatter_is_what_positions_differ_by_beyond_their_sampling_error():
    draw = np.random.default_rng(3)
    said = draw.uniform(-1, 1, 2000)
    truths = said + 0.2 * draw.normal(size=2000)
    shown = truths + 0.3 * draw.normal(size=2000)
    found = fit(said, shown, np.full(2000, 0.09), 1)
    for number in (found.scatter, found.error):
        assert number.low < 0.2 < number.high
        assert number.high - number.low < 0.1
