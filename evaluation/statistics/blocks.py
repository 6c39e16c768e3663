"""Summarises the blocks of games of more than two players: one observation per agent and round.

The games of a block share their dice and rotate the same agents through the seats, so they are not
independent. An agent's mean over a block is therefore one value, and intervals are over these values.

If there are fewer agents than seats, lineups differ in how many seats each agent holds. One observation is
then a round, which has a block of each lineup: the mean over all seats that the agent held in it. All agents
hold equally many seats of a round, so means sum as returns do. Otherwise every block is a round.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.play.lineups import lineups_of_all
from starspiel.evaluation.play.pairing import Pair, units
from starspiel.evaluation.play.record import Outcome, levelled
from starspiel.evaluation.statistics.intervals import Array
from starspiel.evaluation.statistics.proportions import share_interval

Integers = NDArray[np.int64]
#: Identifies a block: the agents of the lineup, sorted, and the number.
BlockKey = tuple[tuple[int, ...], int]
#: The data of a game that is kept: see `rows_of`.
Rows = tuple[Sequence[float], ...]


def block_key(pair: Pair) -> BlockKey:
    """Returns the key of a block, which does not depend on the order of its agents."""
    return tuple(sorted(pair.agents)), pair.number


@dataclass(frozen=True)
class Blocks:
    """The games of complete blocks between `field` agents; each array has shape (blocks, games, seats).

    Attributes:
        agents: the field's index of the agent at each seat.
        returns: each seat's return. In a forfeited game the seat at fault has at most the lowest of all whole
            games, and the others, if the sum or bounds of returns are unknown, the mean of their seat in
            whole games. Without any whole game, they are all level then.
        scores: each seat's share of the win.
        places: a number that is higher the better the seat finished: its return, `levelled`. In forfeited
            games the seat at fault is last and the others are level.
        lucks: each seat's luck, in return; NaN if it was not measured, as in forfeited games.
    """

    field: int
    agents: Integers
    returns: Array
    scores: Array
    places: Array
    lucks: Array

    @staticmethod
    def of(field: int, games: Mapping[BlockKey, Sequence[Rows]], *, shares_known: bool = True) -> "Blocks":
        """Returns the Blocks of the `rows_of` each block's games, in any order.

        `shares_known` says whether forfeited games tell the returns of seats that are not at fault.
        """
        rows = np.moveaxis(np.array([games[key] for key in sorted(games)]), 2, 0)
        agents, at_fault, returns, *values = rows
        at_fault = at_fault.astype(bool)
        whole = ~at_fault.any(axis=2)
        known = returns[whole] if whole.any() else returns[at_fault][:, None]
        if not shares_known:
            returns = np.where(at_fault | whole[..., None], returns, known.mean(axis=0))
        returns = np.where(at_fault, np.minimum(returns, known.min()), returns)
        return Blocks(field, agents.astype(np.int64), returns, *values)

    @property
    def seats(self) -> int:
        """The number of seats of the game, which is also the number of games in a block."""
        return int(self.agents.shape[-1])

    @cached_property
    def rounds(self) -> Integers:
        """(blocks,): the round of each block, from 0; -1 if its round is incomplete.

        Round k consists of the k-th block of every lineup.
        """
        if self.field >= self.seats:
            return np.arange(len(self.agents))
        blocks = defaultdict[tuple[int, ...], list[int]](list)
        for block, lineup in enumerate(np.sort(self.agents[:, 0]).tolist()):
            blocks[tuple(lineup)].append(block)
        found = np.full(len(self.agents), -1)
        together = zip(*[blocks[own] for own in lineups_of_all(self.field, self.seats)], strict=False)
        for number, of_it in enumerate(together):
            found[list(of_it)] = number
        return found

    @property
    def unit(self) -> str:
        """The name of observations: "rounds", or if every block is one "blocks" ("pairs" of two seats)."""
        return "rounds" if self.field < self.seats else units(self.seats)

    @property
    def left_out(self) -> int:
        """The number of blocks that are not part of a complete round."""
        return int((self.rounds < 0).sum())

    @cached_property
    def meetings(self) -> Integers:
        """(field, field): number of blocks in which both agents played, or on the diagonal the one."""
        sat: Integers = (self.agents[:, 0, :, None] == np.arange(self.field)).any(axis=1).astype(np.int64)
        met: Integers = sat.T @ sat
        return met

    @cached_property
    def mean_returns(self) -> list[dict[int, float]]:
        """For each agent, round -> mean return, for the rounds that it played in."""
        return self.means(self.returns)

    @cached_property
    def win_shares(self) -> list[dict[int, float]]:
        """For each agent, round -> mean share of the win, for the rounds that it played in."""
        return self.means(self.scores)

    @cached_property
    def adjusted_returns(self) -> list[dict[int, tuple[float, float]]]:
        """Like `mean_returns`, but (raw, luck-adjusted), without rounds in which luck was not measured."""
        return [
            {each: (raw, less[each]) for each, raw in own.items() if not isnan(less[each])}
            for own, less in zip(self.mean_returns, self.means(self.returns - self.lucks), strict=True)
        ]

    def win_share_interval(self, agent: int) -> tuple[float, float, float]:
        """Returns an agent's mean share of the win, and its 95 % interval over rounds; NaN without games."""
        return share_interval(list(self.win_shares[agent].values()), self._games_of_a_round)

    @property
    def _games_of_a_round(self) -> float:
        """The number of one-seat games that would tell as much about a share as a round, for equal agents.

        Seats of the same agent in a game do not win independently, because only one of them can win.
        """
        lineups = lineups_of_all(min(self.field, self.seats), self.seats)
        held = np.array([lineup.count(0) for lineup in lineups])
        return float(self.seats * (self.seats - 1) * held.sum() ** 2 / (held * (self.seats - held)).sum())

    @property
    def by_seat(self) -> tuple[Array, Array]:
        """(seats,) each: the mean return of every seat, and its mean share of the win."""
        return self.returns.mean(axis=(0, 1)), self.scores.mean(axis=(0, 1))

    @cached_property
    def above(self) -> tuple[Array, Array, Array]:
        """(field, field) each: how often the row's agent finished above the column's, low and high.

        It is the share of common games, with ties counting half, and its 95 % interval over blocks; NaN if
        they did not meet.
        """
        gaps = np.sign(self.places[..., :, None] - self.places[..., None, :])
        one, other = self.agents[..., :, None], self.agents[..., None, :]
        block = np.arange(len(self.agents))[:, None, None, None]
        meeting = (block * self.field + one) * self.field + other
        differ = one != other
        places, inverse, counts = np.unique(meeting[differ], return_inverse=True, return_counts=True)
        shares = np.bincount(inverse, 0.5 + 0.5 * gaps[differ], len(places)) / counts
        which = places % self.field**2
        found = np.full((3, self.field, self.field), np.nan)
        for each in np.unique(which).tolist():
            found[:, each // self.field, each % self.field] = share_interval(
                shares[which == each].tolist(), self.seats
            )
        mean, low, high = found
        return mean, low, high

    def means(self, values: Array) -> list[dict[int, float]]:
        """Returns for each agent round -> mean of (blocks, games, seats) values, for rounds it played in."""
        whole = self.rounds >= 0
        rounds, agents = self.rounds[whole], self.agents[whole]
        size = (int(rounds.max(initial=-1)) + 1) * self.field
        place = (rounds[:, None, None] * self.field + agents).ravel()
        counts = np.bincount(place, minlength=size).reshape(-1, self.field)
        sums = np.bincount(place, values[whole].ravel(), size).reshape(-1, self.field)
        found = []
        for agent in range(self.field):
            own = np.nonzero(counts[:, agent])[0]
            means = sums[own, agent] / counts[own, agent]
            found.append(dict(zip(own.tolist(), means.tolist(), strict=True)))
        return found


def places(game: Outcome) -> Sequence[float]:
    """Returns how the seats have finished: see `Blocks.places`."""
    if game.fault is None:
        return levelled(game.returns)
    return [-float(seat == game.fault.seat) for seat in range(len(game.agents))]


def rows_of(game: Outcome) -> Rows:
    """Returns the data of a game for `Blocks.of`, by seat.

    They are the agents, 1 at the seat at fault, and as in `Blocks` the returns, scores, places and lucks.
    """
    seats = range(len(game.agents))
    at_fault = [game.fault is not None and game.fault.seat == seat for seat in seats]
    lucks = game.luck if isinstance(game.luck, tuple) and game.fault is None else [nan for _ in seats]
    return game.agents, at_fault, game.returns, [game.score(seat) for seat in seats], places(game), lucks
