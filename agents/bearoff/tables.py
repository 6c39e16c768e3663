"""Provides the bear-off's tables, which are made on first use and kept in the user's cache with a checksum.

The core (native/solve/bearoff.cpp) computes them in a fifth of a second; the Python code here computes the
same numbers in some seconds.
"""

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.bearoff.positions import COUNTS, FACES, MEN, ROLLS, after, pips
from starspiel.agents.native_loader import native_status
from starspiel.agents.solve.cache import cached_table

Array = NDArray[np.float64]
Index = NDArray[np.int64]

#: The most men of each side in the two-sided table.
TWO_SIDED_MEN = 6
#: The number of the first position of 15 men.
ALL_ON = COUNTS[MEN - 1]
#: More rolls than any position needs: each die but the last moves at least two pips.
MOST_ROLLS = 32
#: Must be increased when the meaning of the tables changes.
_VERSION = 1


@cache
def one_sided() -> Array:
    """Returns the probabilities of the number of rolls needed, if play minimises its mean: (positions,
    rolls).

    15 men on the ace point need 6.98 rolls on average, and 15 on the 6 point 12.27.
    """
    return _cached("one-sided", MEN, lambda: _made(make_one_sided))


@cache
def two_sided() -> Array:
    """Returns the winning chance of the player to roll if both play perfectly: (own position, other's)."""
    return _cached("two-sided", TWO_SIDED_MEN, lambda: _made(make_two_sided, TWO_SIDED_MEN))


@cache
def all_on() -> Array:
    """Returns the probability that no man is off after a number of rolls: (positions of 15 men, rolls). Play
    minimises the mean number of rolls until one is off.
    """

    def make() -> Array:
        rolls = _made(make_one_sided, ALL_ON)[ALL_ON:]
        still = 1.0 - rolls[:, : np.flatnonzero(rolls.any(axis=0))[-1]].cumsum(axis=1)
        return np.clip(still, 0.0, 1.0)  # the sums have rounding errors

    return _cached("all-on", MEN, make)


def _made(make: Callable[..., Array], *given: int) -> Array:
    """Returns the result of the core's function of that name, or of `make` if there is no core."""
    name = f"bearoff_{make.__name__.removeprefix('make_')}"
    table: Array = getattr(native_status().module, name, make)(*given)
    return table


def _cached(name: str, men: int, make: Callable[[], Array]) -> Array:
    return cached_table(f"bearoff-{name}-{men}-v{_VERSION}", make, compressed=False)


def make_one_sided(done: int = 1) -> Array:
    """Computes `one_sided`, by increasing pip count; or the rolls needed to reach one of the first `done`
    positions.
    """
    count = COUNTS[MEN]
    rolls = np.zeros((count, MOST_ROLLS))
    rolls[:done, 0] = 1.0
    # By face and number of equal dice still to play: the least mean number of rolls afterwards, and the
    # position.
    rest = np.zeros((FACES + 1, 5, count))
    goal = np.zeros((FACES + 1, 5, count), dtype=np.int64)
    goal[:, 0] = np.arange(count)
    order = np.argsort(pips(), kind="stable")
    order = order[order >= done]
    for level in np.split(order, np.flatnonzero(np.diff(pips()[order])) + 1):
        for die in range(1, FACES + 1):
            for dice in range(1, 5):
                best, target = _least(level, die, rest[die, dice - 1], goal[die, dice - 1])
                rest[die, dice, level], goal[die, dice, level] = best, target
        expected, spread = np.ones(len(level)), np.zeros((len(level), MOST_ROLLS))
        for low, high, chance in ROLLS:
            if low == high:
                best, target = rest[low, 4, level], goal[low, 4, level]
            else:
                best, target = _least(level, low, rest[high, 1], goal[high, 1])
                other, its_target = _least(level, high, rest[low, 1], goal[low, 1])
                target = np.where(other < best, its_target, target)
                best = np.minimum(best, other)
            expected += chance * best
            spread[:, 1:] += chance * rolls[target, :-1]
        rest[:, 0, level] = expected
        rolls[level] = spread
    return rolls


def _least(level: Index, die: int, rest: Array, goal: Index) -> tuple[Array, Index]:
    """Returns (least mean number of rolls, where it leads) for the best move of a die; `rest` are those after
    it.
    """
    moves = after(die)[level]
    after_each = np.where(moves < 0, np.inf, rest[moves])
    chosen = after_each.argmin(axis=1)
    each = np.arange(len(level))
    return after_each[each, chosen], goal[moves[each, chosen]]


def make_two_sided(men: int = TWO_SIDED_MEN) -> Array:
    """Computes `two_sided` for at most `men` men on each side, by increasing pip count.

    Each level of pips is solved first against fewer pips than its own, then against equally many, and then
    with the sides exchanged.
    """
    count = COUNTS[men]
    order = np.argsort(pips()[:count], kind="stable")
    levels = [slice(*ends) for ends in pairwise((1, *np.flatnonzero(np.diff(pips()[order]))[1:] + 1, count))]
    rolls = [(chance, *_reached(order, low, high)) for low, high, chance in ROLLS]
    # By places in that order: the winning chances of the player about to roll, and of the one who has just
    # played.
    wins, played = np.zeros((count, count)), np.zeros((count, count))
    played[0] = 1.0

    def solve(own: slice, other: slice) -> None:
        if own.start == own.stop or other.start == other.stop:
            return
        for chance, first, reached in rolls:
            starts = first[own.start : own.stop + 1]
            after_each = played[reached[starts[0] : starts[-1]], other]
            wins[own, other] += chance * np.maximum.reduceat(after_each, starts[:-1] - starts[0], axis=0)
        played[other, own] = 1.0 - wins[own, other].T

    for level in levels:
        fewer = slice(1, level.start)
        for own, other in ((level, fewer), (level, level), (fewer, level)):
            solve(own, other)
    wins[0, :], wins[:, 0] = 1.0, 0.0
    table = np.empty_like(wins)
    table[np.ix_(order, order)] = wins
    return table


def _reached(order: Index, low: int, high: int) -> tuple[Index, Index]:
    """Returns where a roll can lead from each place of the order: (start of each place's list, all lists
    joined).
    """
    place = {int(position): at for at, position in enumerate(order)}

    def play(positions: set[int], *dice: int) -> set[int]:
        for die in dice:
            moved = {int(move) for each in positions for move in after(die)[each] if move >= 0}
            positions = moved | (positions & {0})
        return positions

    rolled = [(low,) * 4] if low == high else [(low, high), (high, low)]
    each = [sorted({place[to] for dice in rolled for to in play({int(own)}, *dice)}) for own in order]
    return np.cumsum([0, *map(len, each)]), np.concatenate(each)
