"""Solves solitaire games of dice and categories: mean and mean square of the points still to be scored.

Each turn fills one open category. All dice are thrown, and some of them again a number of times. The final
dice score in the category chosen. For one player who plays for points, the score so far does not matter. So
there is one value for each set of open categories, and the sets are solved from full to empty (Verhoeff 1999
for Yahtzee).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Dice = tuple[int, ...]


@dataclass(frozen=True)
class Turn:
    """The possible dice in a turn, with `dice` dice of `sides` sides and at most `throws` throws.

    Dice are ascending multisets. `kept` are all multisets of at most `dice` dice; the last of them are
    `rolls`, those of all dice.
    """

    dice: int
    sides: int
    throws: int

    @property
    def kept_count(self) -> int:
        """The number of multisets in `kept`."""
        return comb(self.dice + self.sides, self.dice)

    @property
    def codes(self) -> list[int]:
        """A number for each face, such that the sum over some dice identifies them."""
        return [(self.dice + 1) ** (face - 1) for face in range(1, self.sides + 1)]

    @cached_property
    def kept(self) -> list[Dice]:
        return [kept for count in range(self.dice + 1) for kept in self._multisets(count)]

    @cached_property
    def index(self) -> dict[Dice, int]:
        """The index of each of `kept`."""
        return {kept: number for number, kept in enumerate(self.kept)}

    @cached_property
    def rolls(self) -> list[Dice]:
        return self._multisets(self.dice)

    @property
    def first_roll(self) -> int:
        """The index of the first of `kept` that is a roll."""
        return len(self.kept) - len(self.rolls)

    def _multisets(self, count: int) -> list[Dice]:
        return list(combinations_with_replacement(range(1, self.sides + 1), count))

    @cached_property
    def chances(self) -> Floats:
        """The probability of each roll if the dice not kept are thrown, of shape (kept, rolls)."""
        chances = np.zeros((len(self.kept), len(self.rolls)))
        thrown_by = [self._multisets(missing) for missing in range(self.dice + 1)]
        for number, kept in enumerate(self.kept):
            missing = self.dice - len(kept)
            for thrown in thrown_by[missing]:
                ways = factorial(missing) // prod(factorial(thrown.count(face)) for face in set(thrown))
                roll = self.index[tuple(sorted(kept + thrown))] - self.first_roll
                chances[number, roll] = ways / self.sides**missing
        return chances

    @cached_property
    def choices(self) -> NDArray[np.int32]:
        """What can be kept of each roll, the whole roll last, as indices of `kept`: shape (rolls, 2^dice)."""
        masks = [[place for place in range(self.dice) if mask >> place & 1] for mask in range(2**self.dice)]
        return np.array(
            [[self.index[tuple(roll[place] for place in mask)] for mask in masks] for roll in self.rolls],
            dtype=np.int32,
        )


@dataclass(frozen=True)
class Stages:
    """The mean and mean square of the points still to be scored, at each stage of one player's turn.

    Each is an array of shape (2, sets of open categories, places): `rolled[i]` by the roll after i + 1
    throws, and `thrown[i]` by the dice kept before throw i + 1.
    """

    rolled: list[Floats]
    thrown: list[Floats]


@dataclass(frozen=True)
class CategoryGame:
    """A turn, and the score of each roll in each category, of shape (rolls, categories)."""

    turn: Turn
    scores: Floats

    def stages(self, filled: NDArray[np.int64], table: Floats) -> Stages:
        """Returns the stages of turns with these sets of filled categories.

        `table` is the mean and mean square of the points after the turn, by the bits of the set: (2, sets).
        """
        last = self._filling(filled, table)
        rolled: list[Floats] = [last]
        thrown: list[Floats] = []
        for throw in range(self.turn.throws, 0, -1):
            thrown.insert(0, rolled[0] @ self.turn.chances.T)
            if throw > 1:
                rolled.insert(0, self._keeping(thrown[0], last))
        return Stages(rolled, thrown)

    def _filling(self, filled: NDArray[np.int64], table: Floats) -> Floats:
        """Returns the moments after the last throw, for the best open category."""
        best = np.full((2, len(filled), len(self.turn.rolls)), -np.inf)
        for category in range(self.scores.shape[1]):
            bit = 1 << category
            is_open = (filled & bit) == 0
            mean, square = table[:, filled | bit][:, :, None]
            scored = self.scores[None, :, category]
            found = np.where(is_open[:, None], mean + scored, -np.inf)
            squares = square + 2 * scored * mean + scored**2
            best = np.where(found > best[0], np.stack([found, squares]), best)
        return best

    def _keeping(self, thrown: Floats, last: Floats) -> Floats:
        """Returns the moments after an earlier throw, for the best dice to keep, or for stopping."""
        means = thrown[0][:, self.turn.choices[:, :-1]]
        best = means.argmax(axis=-1)
        kept = np.take_along_axis(self.turn.choices[None, :, :-1], best[..., None], -1)[..., 0]
        again = np.stack([np.take_along_axis(part, kept, -1) for part in thrown])
        return np.where(again[0] >= last[0], again, last)

    def solve(self) -> Floats:
        """Returns the table of `stages`, for a player who maximises the mean alone."""
        categories = self.scores.shape[1]
        table = np.zeros((2, 1 << categories))
        sets = np.arange(1 << categories)
        counts = np.array([number.bit_count() for number in range(1 << categories)])
        for count in range(categories - 1, -1, -1):
            for part in np.array_split(sets[counts == count], 8):
                table[:, part] = self.stages(part, table).thrown[0][:, :, 0]
        return table
