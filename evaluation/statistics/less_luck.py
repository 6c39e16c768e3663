"""Computes mean returns of the first agent of a pair, raw and luck-adjusted, if luck was measured."""

from collections.abc import Iterator, Sequence
from math import isnan

import numpy as np

from starspiel.evaluation.play.outcomes import Outcomes
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Outcome


def returns_less_luck(pair: Pair, games: Sequence[Outcome]) -> tuple[float, float] | None:
    """Returns the (raw, adjusted) mean return of a pair of one or two players; None if luck is missing."""
    raw = adjusted = 0.0
    for game in games:
        seat, luck = game.agents.index(pair.agents[0]), game.luck
        if isinstance(luck, tuple) or isnan(luck):
            return None
        raw += game.returns[seat]
        adjusted += game.returns[seat] - (luck if seat == 0 else -luck)
    return raw / len(games), adjusted / len(games)


def many_returns_less_luck(outcomes: Outcomes) -> Iterator[tuple[Pair, tuple[float, float]]]:
    """Yields each pair whose luck was measured, with its (raw, adjusted) mean return."""
    seats = outcomes.seats
    first_agents = np.repeat([pair.agents[0] for pair in outcomes.pairs], seats)
    at_0 = outcomes.agents[:, 0] == first_agents
    raw = np.where(at_0, outcomes.returns[:, 0], outcomes.returns[:, -1])
    adjusted = raw - np.where(at_0, outcomes.luck, -outcomes.luck)
    means = [each.reshape(-1, seats).sum(axis=1) / seats for each in (raw, adjusted)]
    for pair, plain, luckless in zip(outcomes.pairs, *(each.tolist() for each in means), strict=True):
        if not isnan(luckless):
            yield pair, (plain, luckless)
