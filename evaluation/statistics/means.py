"""Estimates the mean of values that differ from pair to pair, with an interval that allows for skew.

If the values do not vary, the error of the mean is unknown: errors and margins are then NaN, and tables show
a dash.
"""

from collections.abc import Sequence
from math import cbrt, isnan, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.means import mean_and_error, quantile
from starspiel.evaluation.statistics.intervals import LEVEL

Values = Sequence[float] | NDArray[np.float64]
#: A valid interval needs at least `_FEWEST` values, and `_PER_SKEWNESS` times their squared skewness.
_FEWEST, _PER_SKEWNESS = 20, 6.0


def log_variance_ratio_error(first: Values, second: Values) -> float:
    """Returns the standard error of log(variance of `first` / variance of `second`) of paired values.

    It uses the delta method, for any distributions; NaN if one of the two does not vary.
    """
    x, y = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if isnan(mean_and_error(x)[1]) or isnan(mean_and_error(y)[1]):
        return nan
    influence = (x - x.mean()) ** 2 / x.var() - (y - y.mean()) ** 2 / y.var()
    return float(np.sqrt(np.mean(influence**2) / x.size))


def mean_interval(values: Values) -> tuple[float, float, float]:
    """Returns mean, low and high; the bounds are NaN if the values do not vary.

    The interval spans both Student's interval, which skewed values often miss on one side, and that of Hall's
    transformed t (Hall 1992, "On the removal of skewness by transformation").
    """
    mean, error = mean_and_error(values)
    if isnan(error):
        return mean, nan, nan
    student, bend = quantile(len(values) - 1, LEVEL), _bend(values)
    low = max(student, _unbent(student, bend))
    high = min(-student, _unbent(-student, bend))
    return mean, mean - low * error, mean - high * error


def mean_margin(values: Values) -> float:
    """Returns half the width of `mean_interval`; NaN if the values do not vary."""
    _, low, high = mean_interval(values)
    return (high - low) / 2.0


def mean_p(values: Values) -> float:
    """Returns the two-sided p of "the mean is 0", consistent with `mean_interval`; NaN if nothing varies."""
    from scipy.special import stdtr  # slow to load, and not every command needs it

    t = bent_t(values)
    return nan if isnan(t) else float(2.0 * stdtr(len(values) - 1, -t))


def values_needed(values: Values) -> int:
    """Returns how many values an interval needs to cover the truth in about 95 % of cases; at least 20."""
    return max(_FEWEST, round(_PER_SKEWNESS * skewness(values) ** 2))


def bent_t(values: Values) -> float:
    """Returns |t| of "the mean is 0", Student's or Hall's transform if smaller; NaN if nothing varies."""
    mean, error = mean_and_error(values)
    if isnan(error):
        return nan
    t, bend = mean / error, _bend(values)
    bent = t + bend * t**2 / 3.0 + bend**2 * t**3 / 27.0 + bend / 6.0
    return float(min(abs(t), max(0.0, bent * np.sign(t))))


def skewness(values: Values) -> float:
    """Returns the skewness of the values, corrected for the bias of small samples; 0 if it is unknown."""
    data = np.asarray(values, dtype=np.float64)
    if data.size < 3 or isnan(mean_and_error(data)[1]):
        return 0.0
    third = float(np.mean(((data - data.mean()) / data.std(ddof=1)) ** 3))
    return third * data.size**2 / ((data.size - 1) * (data.size - 2))


def _bend(values: Values) -> float:
    return skewness(values) / sqrt(len(values))


def _unbent(t: float, bend: float) -> float:
    """Returns the value whose transform, t + b t² / 3 + b² t³ / 27 + b / 6, is the given `t`."""
    return 3.0 / bend * (cbrt(1.0 + bend * (t - bend / 6.0)) - 1.0) if abs(bend) > 1e-6 else t


def with_margin(mean: float, margin: float) -> str:
    """Returns a mean and its margin as text for a table, with dashes for NaN."""
    if isnan(mean):
        return "–"
    return f"{mean:+.3f} ± {'–' if isnan(margin) else f'{margin:.3f}'}"
