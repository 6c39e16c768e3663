import numpy as np
import pytest

from starspiel.evaluation.statistics.intervals import PairCounts

# i, j, i's score in seat 0, i's score in seat 1
RESULTS = [(0, 1, 1.0, 0.5), (0, 1, 1.0, 1.0), (1, 0, 0.0, 1.0), (0, 2, 0.0, 0.0), (2, 1, 0.5, 0.5)]


def test_pairs_are_counted_by_points_by_seat_and_by_their_five_results():
    results = PairCounts.of(3, RESULTS)
    expected = np.array([[0, 4.5, 0], [1.5, 0, 1], [2, 1, 0]])
    assert results.points == pytest.approx(expected)
    assert results.pairs.tolist() == [[0, 3, 1], [3, 0, 1], [1, 1, 0]]
    assert results.matrix[0, 1] == 0.75
    assert np.isnan(results.matrix[0, 0])
    # Seat 0 against seat 1: agent 0 won twice and (third pair, as agent 1's second game) lost once.
    assert results.by_seat[0, 1].tolist() == [1, 0, 2]
    assert results.by_seat[1, 0].tolist() == [2, 1, 0]
    assert results.by_seat.sum() == 2 * len(RESULTS)
    assert results.five(0, 1) == (0, 0, 1, 1, 1)
    assert results.five(1, 0) == (1, 1, 1, 0, 0)
    assert results.five(2, 0) == (0, 0, 0, 0, 1)


def test_resamples_keep_the_pairs_and_centre_on_the_mean():
    results = PairCounts.of(2, [(0, 1, 1.0, 0.0)] * 60 + [(0, 1, 1.0, 1.0)] * 40)
    samples = results.resampled(4000, np.random.default_rng(1))
    assert samples.pairs[:, 0, 1] == pytest.approx(100.0)
    assert samples.matrix[:, 0, 1].mean() == pytest.approx(0.7, abs=0.01)
    # Pairs as clusters: the standard error is that of 100 pair scores, not of 200 games.
    assert samples.matrix[:, 0, 1].std() == pytest.approx(0.245 / 10, rel=0.15)
