"""Computes the natural logarithm of whole numbers, with the same result on every machine."""

import math
from functools import lru_cache

_LN2 = 0.6931471805599453
#: 1/21, 1/19, ..., 1: coefficients of the series of artanh, enough for the last bits of a double.
_COEFFICIENTS = tuple(1.0 / odd for odd in range(21, 0, -2))


@lru_cache(2**16)
def natural_log(number: int) -> float:
    """Returns ln(number) for a number of at least 1, with a relative error of at most 1e-15.

    `math.log` rounds as the C library does, so comparisons may differ between machines. This function uses
    only additions, multiplications and divisions, which IEEE 754 rounds in the same way everywhere. So does
    native/natural_log.hpp.
    """
    mantissa, exponent = math.frexp(number)
    if mantissa < math.sqrt(0.5):
        mantissa, exponent = 2.0 * mantissa, exponent - 1
    z = (mantissa - 1.0) / (mantissa + 1.0)
    series = 0.0
    for coefficient in _COEFFICIENTS:
        series = series * (z * z) + coefficient
    return exponent * _LN2 + 2.0 * z * series
