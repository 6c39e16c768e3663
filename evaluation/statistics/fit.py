"""Whether the ratings' model describes the results at all: a likelihood-ratio test."""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.ratings import ELO, Ratings


@dataclass(frozen=True)
class FitTest:
    """Whether one number an agent, a seat term and a draw term describe the results.

    Attributes:
        deviance: twice the log-likelihood that is lost against a model with a number for every meeting and
            seating.
        freedom: degrees of freedom.
        p: the probability of a deviance so large if the model holds. Games of a pair share their dice, so it
            is approximate.
    """

    deviance: float
    freedom: int
    p: float


def fit_test(results: PairCounts, ratings: Ratings) -> FitTest | None:
    """The likelihood-ratio test of the rating model; None where it has nothing to spare."""
    by_seat = results.by_seat
    rows, columns = np.nonzero(by_seat.sum(axis=-1))
    counts = by_seat[rows, columns]
    drawn = bool(counts[:, 1].any())
    agents = int((results.pairs.sum(axis=-1) > 0).sum())
    freedom = len(rows) * (2 if drawn else 1) - (agents - 1) - 1 - int(drawn)
    if freedom < 1:
        return None
    theta, seat = ratings.elo / ELO, ratings.seat_advantage[0] / ELO
    games, draws = counts.sum(), counts[:, 1].sum()
    expected = counts
    # The draw term is re-estimated here so that expected draws are the observed ones.
    delta, low, high = 0.0, -30.0, 30.0
    for _ in range(100):
        logits = np.stack(
            [theta[columns] - seat / 2, delta + (theta[rows] + theta[columns]) / 2, theta[rows] + seat / 2],
            axis=1,
        )
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        expected = counts.sum(axis=1, keepdims=True) * shares
        low, high = (delta, high) if expected[:, 1].sum() < draws else (low, delta)
        delta = (low + high) / 2
        if high - low < 1e-9 * games:
            break
    seen = counts > 0
    deviance = float(2.0 * (counts[seen] * np.log(counts[seen] / expected[seen])).sum())
    return FitTest(deviance, freedom, float(chdtrc(freedom, max(deviance, 0.0))))
