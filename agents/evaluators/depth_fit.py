"""Provides `DepthFit`: how the values of chance nodes change with the depth of the search."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple, Self


class DepthFit(NamedTuple):
    """A chance node's value at one depth as a linear function of its value at one ply less.

    Attributes:
        slope, offset: the deeper value is approximately `slope` x the other + `offset`, if values are those
            of the player who moves after the outcome.
        error: the standard deviation of the deeper value from this estimate.
    """

    slope: float
    offset: float
    error: float

    @classmethod
    def of(cls, numbers: Iterable[Any]) -> Self:
        """Returns the fit with these numbers. Raises ValueError unless they are finite, slope > 0 and error
        >= 0.
        """
        slope, offset, error = map(float, numbers)
        if not (0.0 < slope < math.inf and math.isfinite(offset) and 0.0 <= error < math.inf):
            raise ValueError(f"no fit: slope {slope:g}, offset {offset:g}, error {error:g}")
        return cls(slope, offset, error)
