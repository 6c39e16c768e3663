"""The outcomes of many games at once, as columns of numbers: what a store's games are counted by."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Cost, Outcome


@dataclass(frozen=True)
class Columns:
    """The games of whole pairs, without a fault: one row a game, and a pair's games after each other.

    Attributes:
        pairs: whose games these are, in order.
        agents: (games, seats) the field's index of the agent at each seat.
        returns: (games, seats) each seat's return.
        luck: (games,) what the dice gave player 0; NaN where it was not measured.
        lengths: (games,) actions and chance outcomes of each.
        actions_keys: (games,) the name of each game's course, as in `Outcome`.
        costs: (games, seats, counters) the numbers of a `Cost`.
    """

    pairs: list[Pair]
    agents: NDArray[np.int64]
    returns: NDArray[np.float64]
    luck: NDArray[np.float64]
    lengths: NDArray[np.int64]
    actions_keys: NDArray[np.int64]
    costs: NDArray[np.float64]

    @property
    def scores(self) -> NDArray[np.float64]:
        """(games, seats) as `Outcome.score`."""
        return self.returns if self.seats == 1 else 0.5 + 0.5 * np.sign(self.returns)

    @property
    def seats(self) -> int:
        """The seats of the game; a pair has as many games."""
        return len(self.agents.T)

    def each(self) -> Iterator[tuple[Pair, list[Outcome]]]:
        """Pair by pair, the games in the order of its seatings."""
        rows = zip(*[getattr(self, each.name).tolist() for each in fields(self)[1:]], strict=True)
        for pair in self.pairs:
            games = [_outcome(*row) for row in islice(rows, self.seats)]
            if games[0].agents[0] != pair.agents[0]:
                games.reverse()
            yield pair, games


def _outcome(
    agents: list[int],
    returns: list[float],
    luck: float,
    length: int,
    actions_key: int,
    costs: list[list[float]],
) -> Outcome:
    own = tuple([cost_of(numbers) for numbers in costs])
    return Outcome(tuple(agents), tuple(returns), None, luck, length, actions_key, own)


def cost_of(numbers: Iterable[float]) -> Cost:
    """The counters in the order of their declaration, each of its own kind."""
    kinds = map(type, Cost())
    return Cost(*[kind(number) for kind, number in zip(kinds, numbers, strict=True)])
