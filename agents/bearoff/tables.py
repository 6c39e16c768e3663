"""The bear-off's tables: made on first use, in seconds, and kept in the user's cache with a checksum."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.bearoff.positions import COUNTS, FACES, MEN, ROLLS, after, pips
from starspiel.agents.solve.cache import cached_table

Array = NDArray[np.float64]
Index = NDArray[np.int64]

#: Men of each side in the two-sided table.
TWO_SIDED_MEN = 6
#: More rolls than any position needs: two pips at least go with each die but the last.
MOST_ROLLS = 32
#: A change of what the tables mean raises it.
_VERSION = 1


@cache
def one_sided() -> Array:
    """The chance to need exactly so many rolls, (positions, rolls), by play that needs the fewest on average.

    15 men on the ace point need 6.98 rolls on average, 15 on the 6 point 12.27.
    """
    return cached_table(f"bearoff-one-sided-{MEN}-v{_VERSION}", make_one_sided)


@cache
def two_sided() -> Array:
    """The chance to win for who is about to roll, (own position, other's), by perfect play of both sides."""
    return cached_table(f"bearoff-two-sided-{TWO_SIDED_MEN}-v{_VERSION}", make_two_sided)


def make_one_sided() -> Array:
    """As `one_sided`, worked out: positions of fewer pips first."""
    count = COUNTS[MEN]
    mean = np.zeros(count)
    rolls = np.zeros((count, MOST_ROLLS))
    rolls[0, 0] = 1.0
    # With so many equal dice still to play: the fewest rolls on average afterwards, and the position then.
    rest = np.zeros((FACES + 1, 5, count))
    goal = np.zeros((FACES + 1, 5, count), dtype=np.int64)
    rest[:, 0], goal[:, 0] = mean, np.arange(count)
    for level in _levels(pips()[:count]):
        for die in range(1, FACES + 1):
            for dice in range(1, 5):
                _least(level, die, rest[die, dice - 1], goal[die, dice - 1], rest[die, dice], goal[die, dice])
        expected, spread = np.ones(len(level)), np.zeros((len(level), MOST_ROLLS))
        for low, high, chance in ROLLS:
            if low == high:
                best, target = rest[low, 4, level], goal[low, 4, level]
            else:
                best, target = _least_of(level, low, rest[high, 1], goal[high, 1])
                other, its_target = _least_of(level, high, rest[low, 1], goal[low, 1])
                target = np.where(other < best, its_target, target)
                best = np.minimum(best, other)
            expected += chance * best
            spread[:, 1:] += chance * rolls[target, :-1]
        rest[:, 0, level] = expected
        rolls[level] = spread
    return rolls


def make_two_sided(men: int = TWO_SIDED_MEN) -> Array:
    """As `two_sided`, worked out for at most so many men a side: fewer pips of both together first."""
    count = COUNTS[men]
    wins = np.zeros((count, count))
    own, other = (each.ravel() for each in np.indices((count, count)))
    # A row more, for moves that there are not. With so many equal dice still to play: the best chance to win.
    rest = np.zeros((FACES + 1, 5, count + 1, count))
    rest[:, :, 0] = 1.0
    rest[:, :, count] = -1.0
    moves = {die: np.where(after(die)[:count] < 0, count, after(die)[:count]) for die in range(1, FACES + 1)}
    both = pips()[:count][own] + pips()[:count][other]
    both[(own == 0) | (other == 0)] = 0
    for level in _levels(both):
        mine, theirs = own[level], other[level]
        for die in range(1, FACES + 1):
            for dice in range(1, 5):
                rest[die, dice, mine, theirs] = _most(moves[die][mine], theirs, rest[die, dice - 1])
        chance_to_win = np.zeros(len(level))
        for low, high, chance in ROLLS:
            if low == high:
                best = rest[low, 4, mine, theirs]
            else:
                best = np.maximum(
                    _most(moves[low][mine], theirs, rest[high, 1]),
                    _most(moves[high][mine], theirs, rest[low, 1]),
                )
            chance_to_win += chance * best
        wins[mine, theirs] = chance_to_win
        # Who has moved to `theirs` against `mine` on roll wins where the roller does not.
        rest[:, 0, theirs, mine] = 1.0 - chance_to_win
    wins[0, :], wins[:, 0] = 1.0, 0.0
    return wins


def _levels(pips: Index) -> list[Index]:
    """The places of equal pips, fewest first, without those of none."""
    order = np.argsort(pips, kind="stable")
    cuts = np.flatnonzero(np.diff(pips[order])) + 1
    return [level for level in np.split(order, cuts) if pips[level[0]] > 0]


def _least(level: Index, die: int, rest: Array, goal: Index, best: Array, target: Index) -> None:
    """Plays one die at the positions of a level, and the rest of the roll after it; into `best`, `target`."""
    best[level], target[level] = _least_of(level, die, rest, goal)


def _least_of(level: Index, die: int, rest: Array, goal: Index) -> tuple[Array, Index]:
    """(fewest rolls on average, where that leads) by the best move of a die, `rest` being those after it."""
    moves = after(die)[level]
    after_each = np.where(moves < 0, np.inf, rest[moves])
    chosen = after_each.argmin(axis=1)
    each = np.arange(len(level))
    return after_each[each, chosen], goal[moves[each, chosen]]


def _most(moves: Index, theirs: Index, rest: Array) -> Array:
    """The best chance to win by one of the moves, `rest` being what it is after each."""
    best: Array = rest[moves[:, 0], theirs]
    for point in range(1, moves.shape[1]):
        best = np.maximum(best, rest[moves[:, point], theirs])
    return best
