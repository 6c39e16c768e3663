"""Fits true values to an evaluator's values by regression, and measures the deviations from the line."""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.means import margin, mean_and_error, quantile

Array = NDArray[np.float64]

#: The fewest positions of a bin, and the most bins.
_IN_A_BIN, _BINS = 10, 10
_DRAWS = 400
#: Below this size, a curve cannot be distinguished from the line, because there are too few different values.
_FLAT = 1e-6
#: Values that differ by less than this count as equal, relative to the greatest.
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Positions with similar values, from `low` to `high`.

    Attributes:
        value: the mean of the evaluator's values.
        truth, margin: the mean of the true values, and half the width of its 95 % interval; NaN if unknown.
    """

    positions: int
    low: float
    high: float
    value: float
    truth: float
    margin: float


@dataclass(frozen=True, slots=True)
class Fit:
    """The line truth = offset + slope x value, by least squares.

    Attributes:
        slope, offset: with intervals that are valid even if the scatter depends on the value (White 1980).
        bend: how far a curve of third degree is off the line (root mean square over the positions).
        scatter: how far single positions are off the line.
        error: how far the truth is off the value itself. The sampling error is subtracted from all three.
        spread: standard deviation of the line over the positions, which is the scale for all three.
        said, true: standard deviations of the values, and of the truth without its sampling error.
        bins: bins from the least values to the greatest.
    """

    slope: Estimate
    offset: Estimate
    bend: Estimate
    scatter: Estimate
    error: Estimate
    spread: float
    said: float
    true: float
    bins: tuple[Bin, ...]


def varies(values: Array) -> bool:
    """Returns whether the values differ."""
    return bool(np.ptp(values) > _SAME * max(1.0, float(np.abs(values).max())))


def fit(values: Array, truths: Array, noise: Array, seed: int) -> Fit:
    """Returns the line through independent positions.

    Args:
        values: the evaluator's values; they must vary.
        truths: the true values, or means of samples of them.
        noise: the variance of each such mean; 0 if the truth is exact.
        seed: seed of the bootstrap, which gives the intervals of bend, scatter and error.
    """
    order = np.argsort(values, kind="stable")
    values, truths, noise = values[order], truths[order], noise[order]
    count = len(values)
    place = _bins(values)
    height, middle = truths.mean(), values.mean()
    slope = float((values - middle) @ (truths - height) / ((values - middle) @ (values - middle)))
    offset = float(height - slope * middle)
    margins = _robust_margins(values, truths - offset - slope * values)
    rng = np.random.default_rng(seed)
    # Rubin's Bayesian bootstrap over positions.
    shares = rng.standard_exponential((_DRAWS, count))
    drawn, _ = _distances(values, truths, noise, shares)
    squares, chance = _distances(values, truths, noise, np.ones((1, count)))
    drawn[:, 0] -= chance  # resampling adds once more the variance that the square contains
    bend, scatter, error = (_root(square, draws) for square, draws in zip(squares[0], drawn.T, strict=True))
    return Fit(
        slope=Estimate(slope, slope - margins[1], slope + margins[1]),
        offset=Estimate(offset, offset - margins[0], offset + margins[0]),
        bend=bend,
        scatter=scatter,
        error=error,
        spread=abs(slope) * float(values.std()),
        said=float(values.std()),
        true=sqrt(max(0.0, float(truths.var() - noise.mean()))),
        bins=tuple(_bin(values[place == number], truths[place == number]) for number in range(place[-1] + 1)),
    )


def _robust_margins(values: Array, off: Array) -> tuple[float, float]:
    """Returns half the widths of the 95 % intervals of (offset, slope); infinite if a single position
    determines one of them.

    Uses White's sandwich estimator as HC2, and Student's t with its degrees of freedom (Bell & McCaffrey
    2002).
    """
    scaled = (values - values.mean()) / np.ptp(values)
    units, _ = np.linalg.qr(np.column_stack((np.ones(len(values)), scaled)))
    leverage = (units**2).sum(axis=1)
    if float(leverage.max()) > 1.0 - _FLAT:
        return inf, inf
    per_unit = scaled / (scaled @ scaled) / np.ptp(values)  # the weight of each truth in the slope
    own = 1.0 / len(values) - values.mean() * per_unit  # and in the offset
    return _margin(own, units, leverage, off), _margin(per_unit, units, leverage, off)


def _margin(share: Array, units: Array, leverage: Array, off: Array) -> float:
    """Returns half the width of the interval of a sum of truths with weights `share`."""
    weight = share**2 / (1.0 - leverage)
    crossed = units.T @ (units * weight[:, None])
    total = float((weight * (1.0 - leverage)).sum())
    squares = float((weight**2 * (1.0 - 2.0 * leverage)).sum() + (crossed**2).sum())
    return quantile(total**2 / squares) * sqrt(float((weight * off**2).sum()))


def _bins(values: Array) -> NDArray[np.int64]:
    """Returns the bin of each of the ascending values; equal values are in the same bin."""
    count = max(2, min(_BINS, len(values) // _IN_A_BIN))
    place = np.arange(len(values)) * count // len(values)
    first = np.searchsorted(values, values)
    _, dense = np.unique(place[first], return_inverse=True)
    found: NDArray[np.int64] = dense.astype(np.int64)
    return found


def _distances(values: Array, truths: Array, noise: Array, shares: Array) -> tuple[Array, Array]:
    """Returns (squares of bend, scatter and error; what resampling adds to the first), for each row of
    shares.

    The sampling error is subtracted from the squares, which may leave less than 0. `shares` are the weights
    of the positions, of shape (rows, positions).
    """
    total = shares.sum(axis=1)
    # The directions of a line, and of a curve of third degree orthogonal to it, as unit vectors.
    scaled = 2.0 * (values - values.min()) / np.ptp(values) - 1.0
    weight = np.sqrt(shares)
    units, lengths = np.linalg.qr(weight[:, :, None] * np.vander(scaled, 4, increasing=True))
    told = np.abs(np.diagonal(lengths, axis1=1, axis2=2)) > _FLAT * weight.sum(axis=1)[:, None]
    line, beyond = units[:, :, :2], units[:, :, 2:] * told[:, None, 2:]
    weighed = weight * truths
    weighed = weighed - np.einsum("rpc,rc->rp", line, np.einsum("rpc,rp->rc", line, weighed))
    bends = np.einsum("rpc,rp->rc", beyond, weighed)
    # The distances of positions from the curve; from the line they differ by the bend, too.
    off = weighed - np.einsum("rpc,rc->rp", beyond, bends)
    chance = np.einsum("rpc,rp->r", beyond**2, off**2) / total
    scatter = ((weighed**2).sum(axis=1) - shares @ noise) / total
    error = shares @ ((truths - values) ** 2 - noise) / total
    return np.stack(((bends**2).sum(axis=1) / total - chance, scatter, error), axis=1), chance


def _root(square: float, draws: Array) -> Estimate:
    """Returns the root of a square that may be below 0 by subtraction, with the central interval of its
    draws.
    """
    low, high = np.quantile(draws, [0.025, 0.975])
    ends = min(low, square), square, max(high, square)
    least, middle, most = (sqrt(max(0.0, float(end))) for end in ends)
    return Estimate(middle, least, most)


def _bin(values: Array, truths: Array) -> Bin:
    mean, error = mean_and_error(truths)
    return Bin(
        positions=len(values),
        low=float(values[0]),
        high=float(values[-1]),
        value=float(values.mean()),
        truth=mean,
        margin=margin(error, len(truths)),
    )
