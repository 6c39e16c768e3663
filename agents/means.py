"""Computes the mean of values, its standard error, and Student's interval around it.

If the values do not vary, the error of the mean is unknown: errors and margins are then NaN.
"""

from collections.abc import Sequence
from functools import cache
from math import isnan, nan, sqrt

import numpy as np
from numpy.typing import NDArray


def mean_and_error(values: Sequence[float] | NDArray[np.float64]) -> tuple[float, float]:
    """Returns the mean and its standard error; NaN if there are too few values or they do not vary."""
    data = np.asarray(values, dtype=np.float64)
    if not data.size:
        return nan, nan
    alike = np.ptp(data) <= 1e-9 * max(1.0, float(np.abs(data).max()))
    return float(data.mean()), nan if alike else float(data.std(ddof=1)) / sqrt(data.size)


def margin(error: float, values: int, level: float = 0.95) -> float:
    """Returns half the width of a mean's interval, from its error and number of values; NaN if it is NaN."""
    return nan if isnan(error) else quantile(values - 1, level) * error


@cache
def quantile(freedom: float, level: float = 0.95) -> float:
    """Returns the two-sided quantile of Student's t: 12.7 for one degree of freedom, 1.96 for very many."""
    from scipy.special import stdtrit  # slow to load

    return float(stdtrit(freedom, 0.5 + level / 2.0))
