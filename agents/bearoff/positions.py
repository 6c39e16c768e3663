"""Numbers the positions of one side in the bear-off, and moves men by a die."""

from functools import cache
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

POINTS, MEN, FACES = 6, 15, 6
#: The number of positions with at most this many men, by the number of men.
COUNTS = tuple(comb(men + POINTS, POINTS) for men in range(MEN + 1))
#: The rolls as (die, other die, probability), in which doubles occur once.
ROLLS = tuple(
    (low, high, (1.0 if low == high else 2.0) / FACES**2)
    for low in range(1, FACES + 1)
    for high in range(low, FACES + 1)
)

_CHOOSE = np.array([[comb(n, k) for k in range(POINTS + 1)] for n in range(MEN + POINTS + 1)])


def rank(men: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the numbers of positions, given the men at distances 1 to 6: shape (..., 6), at most 15 in all.

    This is the combinatorial number system: a position with fewer men has a smaller number, and 0 has no men.
    """
    chosen = np.cumsum(men, axis=-1) + np.arange(POINTS)
    found: NDArray[np.int64] = _CHOOSE[chosen, np.arange(1, POINTS + 1)].sum(axis=-1)
    return found


@cache
def all_men() -> NDArray[np.int64]:
    """Returns the men of every position, by its number: shape (positions, 6)."""
    sums = np.array(list(combinations_with_replacement(range(MEN + 1), POINTS)), dtype=np.int64)
    men = np.diff(sums, axis=1, prepend=0)
    return men[np.argsort(rank(men))]


@cache
def pips() -> NDArray[np.int64]:
    """Returns the pip count of each position, by its number."""
    found: NDArray[np.int64] = all_men() @ np.arange(1, POINTS + 1)
    return found


@cache
def after(die: int) -> NDArray[np.int64]:
    """Returns the positions after moving a man by a die, by the point it leaves: shape (positions, 6). -1
    stands for an illegal move.

    A man is borne off with the exact number, or with a greater one from the farthest point.
    """
    men = all_men()
    found = np.full(men.shape, -1, dtype=np.int64)
    for point in range(POINTS):
        can = men[:, point] > 0
        if point + 1 < die:  # only the farthest man may waste pips
            can &= ~men[:, point + 1 :].any(axis=1)
        left = men[can]
        left[:, point] -= 1
        if point + 1 > die:
            left[:, point - die] += 1
        found[can, point] = rank(left)
    return found
