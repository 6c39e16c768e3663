"""Holds the outcomes of many games in arrays, from which the games of a store are counted."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import ROUNDING, Cost, Facts, Luck, Outcome, win_shares


@dataclass(frozen=True)
class Outcomes:
    """The games of complete pairs without a fault: one row per game, with the games of a pair in sequence.

    Attributes:
        pairs: the pairs that the games belong to, in order.
        agents: (games, seats) the field's index of the agent at each seat.
        returns: (games, seats) each seat's return.
        luck: (games,) player 0's luck, in return; with more than two players (games, seats) each seat's luck.
            NaN if it was not measured.
        facts: name of a field of `Facts` -> (games,) its values.
        costs: (games, seats, counters) the numbers of a `Cost`.
    """

    pairs: list[Pair]
    agents: NDArray[np.int64]
    returns: NDArray[np.float64]
    luck: NDArray[np.float64]
    facts: Mapping[str, NDArray[Any]]
    costs: NDArray[np.float64]

    @property
    def scores(self) -> NDArray[np.float64]:
        """(games, seats): each seat's score, as in `Outcome.score`."""
        if self.seats > 2:
            return np.array([win_shares(own) for own in self.returns.tolist()]).reshape(self.returns.shape)
        if self.seats == 1:
            return self.returns
        ahead = self.returns - self.returns[:, ::-1]
        # The same tolerance as in `rounding`.
        level = np.abs(ahead) <= ROUNDING * np.abs(self.returns).max(axis=1, initial=1.0, keepdims=True)
        scores: NDArray[np.float64] = 0.5 + 0.5 * np.where(level, 0.0, np.sign(ahead))
        return scores

    @property
    def seats(self) -> int:
        """The number of seats of the game, which is also the number of games in a pair."""
        return len(self.agents.T)

    def each(self) -> Iterator[tuple[Pair, list[Outcome]]]:
        """Yields each pair with its games in the order of its seatings."""
        facts = zip(*[self.facts[name].tolist() for name in Facts._fields], strict=True)
        numbers = (each.tolist() for each in (self.agents, self.returns, self.luck, self.costs))
        outcomes = (
            Outcome(tuple(agents), tuple(returns), None, _luck(luck), Facts(*own), tuple(map(cost_of, costs)))
            for agents, returns, luck, costs, own in zip(*numbers, facts, strict=True)
        )
        for pair in self.pairs:
            yield pair, in_order(pair, islice(outcomes, self.seats))


def _luck(luck: float | list[float]) -> Luck:
    return luck if isinstance(luck, float) else nan if isnan(luck[0]) else tuple(luck)


def in_order(pair: Pair, games: Iterable[Outcome]) -> list[Outcome]:
    """Returns the games of a pair in the order of its seatings, which depends on the present field."""
    found = {game.agents: game for game in games}
    return [found[seats] for seats in pair.seatings()]


def cost_of(numbers: Iterable[float]) -> Cost:
    """Returns the Cost with these counters, in the order of declaration, converted to their types."""
    kinds = map(type, Cost())
    return Cost(*[kind(number) for kind, number in zip(kinds, numbers, strict=True)])
