"""The outcomes of many games at once, as columns of numbers: what a store's games are counted by."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

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
        costs: (games, seats, 6) the numbers of a `Cost`.
    """

    pairs: list[Pair]
    agents: NDArray[np.int64]
    returns: NDArray[np.float64]
    luck: NDArray[np.float64]
    lengths: NDArray[np.int64]
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
        columns: list[Any] = [
            column.tolist() for column in (self.agents, self.returns, self.luck, self.lengths, self.costs)
        ]
        rows = zip(*columns, strict=True)
        for pair in self.pairs:
            games = [
                Outcome(tuple(agents), tuple(returns), None, luck, length, tuple(map(_cost, costs)))
                for agents, returns, luck, length, costs in islice(rows, self.seats)
            ]
            if games[0].agents[0] != pair.agents[0]:
                games.reverse()
            yield pair, games


def _cost(numbers: list[float]) -> Cost:
    moves, seconds, *counts = numbers
    return Cost(int(moves), seconds, *map(int, counts))
