"""Feeds a sequential test with pairs in their scheduled order, whatever order they finish in."""

from collections.abc import Iterator, Sequence

import numpy as np

from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Outcome, Void
from starspiel.evaluation.sprt_result import SprtResult
from starspiel.evaluation.statistics.blocks import places
from starspiel.evaluation.statistics.sprt import Sprt

#: A finished pair, in the form that tallies count.
Counted = tuple[Pair, Sequence[Outcome], Sequence[Void]]


class Sequential:
    """An SPRT match whose pairs are counted in the order of their numbers, whatever order they finish in.

    A test that counted pairs as workers finish them would favour short games, and would end differently in
    every run.

    With more than two players, a round of blocks, one of each lineup, counts like one pair: its blocks have
    one result together (`round_score`).
    """

    def __init__(self, test: Sprt, players: int = 2) -> None:
        self.test = test
        self.verdict: str | None = None
        self._together = max(players - 1, 1)
        self._next = 0
        self._early: dict[int, list[Counted]] = {}
        self._five = [0] * 5

    def released(self, counted: Counted) -> Iterator[Counted]:
        """Adds a finished pair, and yields the pairs that are now to be counted, until there is a verdict."""
        self._early.setdefault(counted[0].number, []).append(counted)
        while self.verdict is None and len(self._early.get(self._next, ())) == self._together:
            done = sorted(self._early.pop(self._next), key=lambda each: each[0].agents)
            yield from done
            self._next += 1
            self._five[round(4 * round_score([game for _, games, _ in done for game in games]))] += 1
            self.verdict = self.test.verdict(self._five)

    @property
    def result(self) -> SprtResult:
        """The current result of the test."""
        loss, less, even, more, win = self._five
        five = loss, less, even, more, win
        return SprtResult(self.test, five, self.test.llr(five), self.verdict, self._together)


def round_score(games: Sequence[Outcome]) -> float:
    """Returns agent 0's mean score against agent 1 in these games, 0 to 1, in quarters (ties toward ½).

    With more than two players, its score in a game is the share of (own seat, other seat) pairs in which its
    seat finished above; level seats count half.
    """
    scores = []
    for game in games:
        own = np.asarray(game.agents) == 0
        order = np.array(places(game) if len(own) > 2 else [game.score(0), game.score(1)])
        scores.append(float(np.mean(0.5 + 0.5 * np.sign(order[own][:, None] - order[~own]))))
    apart = float(np.mean(scores)) - 0.5
    quarters = np.sign(apart) * np.ceil(4.0 * abs(apart) - 0.5 - 1e-9)
    return float(0.5 + quarters / 4.0)
