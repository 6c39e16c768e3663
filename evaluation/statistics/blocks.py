"""What the blocks of games of more than two players add up to: one observation an agent and block.

The games of a block share their dice and rotate the same agents through the seats, so they are not
independent. What an agent had of them, from all seats it sat in, is one value; intervals are over these.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Outcome
from starspiel.evaluation.statistics.intervals import Array
from starspiel.evaluation.statistics.proportions import share_interval

Integers = NDArray[np.int64]
#: What blocks are told apart by: the agents of the lineup, sorted, and the number.
BlockKey = tuple[tuple[int, ...], int]


def block_key(pair: Pair) -> BlockKey:
    """The key of a block, whatever the order of its agents."""
    return tuple(sorted(pair.agents)), pair.number


@dataclass(frozen=True)
class Blocks:
    """The games of whole blocks between `field` agents, each array of shape (blocks, games, seats).

    Attributes:
        agents: the field's index of the agent at each seat.
        returns: each seat's return.
        scores: each seat's share of the win.
        places: the greater, the better a seat has finished: its return, but for forfeited games, where the
            seat at fault is last and the others are level.
    """

    field: int
    agents: Integers
    returns: Array
    scores: Array
    places: Array

    @staticmethod
    def of(field: int, games: Mapping[BlockKey, Sequence[Outcome]]) -> "Blocks":
        """From the outcomes of each block, in whatever order they were finished."""
        blocks = [games[key] for key in sorted(games)]

        def array(values: Iterable[Iterable[Sequence[float]]]) -> Array:
            return np.array([list(map(list, each)) for each in values], dtype=np.float64)

        return Blocks(
            field,
            array([[game.agents for game in block] for block in blocks]).astype(np.int64),
            array([[game.returns for game in block] for block in blocks]),
            array([[list(map(game.score, range(len(game.agents)))) for game in block] for block in blocks]),
            array([[places(game) for game in block] for block in blocks]),
        )

    @property
    def seats(self) -> int:
        """The seats of the game; a block has as many games."""
        return int(self.agents.shape[-1])

    @cached_property
    def mean_returns(self) -> list[dict[int, float]]:
        """Each agent's mean return in every block that it sat in, by the place of the block."""
        return self._by_agent(self.returns)

    @cached_property
    def win_shares(self) -> list[dict[int, float]]:
        """The same of its mean share of the win."""
        return self._by_agent(self.scores)

    def win_share_interval(self, agent: int) -> tuple[float, float, float]:
        """An agent's mean share of the win, and its 95 % interval over blocks; NaN without games."""
        return share_interval(list(self.win_shares[agent].values()), self.seats)

    @property
    def by_seat(self) -> tuple[Array, Array]:
        """(seats,) each: the mean return from every seat, and the mean share of the win."""
        return self.returns.mean(axis=(0, 1)), self.scores.mean(axis=(0, 1))

    @cached_property
    def above(self) -> tuple[Array, Array, Array]:
        """(field, field) each: how often the row's agent finished above the column's, low and high.

        The share of the games that both sat in, level ones counting half, with its 95 % interval over blocks;
        NaN if they did not meet.
        """
        gaps = np.sign(self.places[..., :, None] - self.places[..., None, :])
        sums: dict[tuple[int, int], dict[int, list[float]]] = {}
        block = np.arange(len(self.agents))[:, None].repeat(self.agents.shape[1], axis=1).ravel().tolist()
        for one, other in permutations(range(self.seats), 2):
            columns = (self.agents[..., one], self.agents[..., other], gaps[..., one, other])
            for place, i, j, gap in zip(block, *(each.ravel().tolist() for each in columns), strict=True):
                if i != j:
                    sums.setdefault((i, j), {}).setdefault(place, []).append(0.5 + 0.5 * gap)
        found = np.full((3, self.field, self.field), np.nan)
        for (i, j), own in sums.items():
            found[:, i, j] = share_interval([float(np.mean(each)) for each in own.values()], self.seats)
        mean, low, high = found
        return mean, low, high

    def _by_agent(self, values: Array) -> list[dict[int, float]]:
        blocks = len(self.agents)
        place = (np.arange(blocks)[:, None, None] * self.field + self.agents).ravel()
        counts = np.bincount(place, minlength=blocks * self.field).reshape(blocks, self.field)
        sums = np.bincount(place, values.ravel(), blocks * self.field).reshape(blocks, self.field)
        found = []
        for agent in range(self.field):
            own = np.nonzero(counts[:, agent])[0]
            means = sums[own, agent] / counts[own, agent]
            found.append(dict(zip(own.tolist(), means.tolist(), strict=True)))
        return found


def places(game: Outcome) -> Sequence[float]:
    """How the seats have finished, as in `Blocks`."""
    if game.fault is None:
        return game.returns
    return [-float(seat == game.fault.seat) for seat in range(len(game.agents))]
