"""Matrix games: published values, and what makes a pair of strategies the best."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from starspiel.agents.matrix_game import solve_matrix_game
from starspiel.envs.errors import StarspielError

# Whole numbers make ties, dominated rows and degenerate programs, which random reals never do; payoffs of
# very different sizes make probabilities below every tolerance.
PAYOFFS = st.tuples(st.integers(1, 10), st.integers(1, 10)).flatmap(
    lambda shape: st.one_of(
        arrays(float, shape, elements=st.integers(-3, 3)),
        arrays(float, shape, elements=st.floats(-1e6, 1e6, width=32)),
        arrays(float, shape, elements=st.sampled_from([0, 1, -1, 641843, -1e6, 1e6, -6e-5])),
    )
)


@settings(deadline=None)  # SciPy is loaded at its first use
@given(PAYOFFS)
def test_both_strategies_guarantee_the_value(payoffs):
    solution = solve_matrix_game(payoffs)
    size = max(1.0, np.abs(payoffs).max())
    for strategy in (solution.rows, solution.columns):
        assert strategy.min() >= 0
        assert strategy.sum() == pytest.approx(1, abs=1e-14)
    assert (solution.rows @ payoffs).min() >= solution.value - 1e-12 * size
    assert (payoffs @ solution.columns).max() <= solution.value + 1e-12 * size


@pytest.mark.parametrize(
    ("payoffs", "value", "rows", "columns"),
    [
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], 0, [1 / 3] * 3, [1 / 3] * 3),  # rock, paper, scissors
        ([[1, -1], [-1, 1]], 0, [0.5, 0.5], [0.5, 0.5]),  # matching pennies
        ([[4, 1, 3], [2, 2.5, 2.8]], 16 / 7, [1 / 7, 6 / 7], [3 / 7, 4 / 7, 0]),
        # Two-finger Morra: strategies by Dresher 1961, chapter 1.
        ([[0, 2, -3, 0], [-2, 0, 0, 3], [3, 0, 0, -4], [0, -3, 4, 0]], 0, None, None),
        # Colonel Blotto with four regiments against three: Tucker 1950.
        (
            [[4, 2, 1, 0], [1, 3, 0, -1], [-2, 2, 2, -2], [-1, 0, 3, 1], [0, 1, 2, 4]],
            14 / 9,
            [4 / 9, 0, 1 / 9, 0, 4 / 9],
            None,
        ),
        ([[3, 5], [2, 9]], 3, [1, 0], [1, 0]),  # a saddle point
        ([[2.5]], 2.5, [1], [1]),
        ([[1, 0], [-1e20, 1e20]], 0.5, [1, 5e-21], [0.5, 0.5]),  # a probability that 1 minus another loses
        ([[1e308, -1e308], [-1e308, 1e308]], 0, [0.5, 0.5], [0.5, 0.5]),  # differences beyond floats
        ([[1e300, -1, 1], [1, 1e-300, -1], [-1, 1, 0]], 1 / 3, [1 / 3, 0, 2 / 3], None),  # great slack
    ],
)
def test_published_values(payoffs, value, rows, columns):
    solution = solve_matrix_game(payoffs)
    assert solution.value == pytest.approx(value, abs=1e-14)
    if rows is not None:
        assert solution.rows == pytest.approx(rows, abs=1e-14)
    if columns is not None:
        assert solution.columns == pytest.approx(columns, abs=1e-14)


@pytest.mark.parametrize("payoffs", [[], [[]], [1, 2], [[float("nan")]], [[float("inf"), 1]]])
def test_what_is_no_matrix_is_refused(payoffs):
    with pytest.raises(StarspielError, match="matrix of finite payoffs"):
        solve_matrix_game(payoffs)
