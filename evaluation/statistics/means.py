"""The mean of values that differ from pair to pair, with Student's interval.

Where nothing varies nobody knows how far the mean is from the truth: errors and margins are then NaN,
and a table shows a dash, not an interval of no width.
"""

from collections.abc import Sequence
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.means import margin, mean_and_error


def log_variance_ratio_error(
    first: Sequence[float] | NDArray[np.float64], second: Sequence[float] | NDArray[np.float64]
) -> float:
    """The standard error of log(variance of `first` / variance of `second`) of paired values.

    By the delta method, whatever the distributions; NaN where one of the two does not vary.
    """
    x, y = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if isnan(mean_and_error(x)[1]) or isnan(mean_and_error(y)[1]):
        return nan
    influence = (x - x.mean()) ** 2 / x.var() - (y - y.mean()) ** 2 / y.var()
    return float(np.sqrt(np.mean(influence**2) / x.size))


def mean_interval(
    values: Sequence[float] | NDArray[np.float64], level: float = 0.95
) -> tuple[float, float, float]:
    """Mean, low and high; the bounds are NaN where nothing varies."""
    mean, error = mean_and_error(values)
    around = margin(error, len(values), level)
    return mean, mean - around, mean + around


def with_margin(mean: float, margin: float) -> str:
    """A mean and its margin, in words for a table."""
    if isnan(mean):
        return "–"
    return f"{mean:+.3f} ± {'–' if isnan(margin) else f'{margin:.3f}'}"
