"""What the returns of a game count."""

import numpy as np
import pytest

from starspiel.evaluation.play.outcomes import Outcomes
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Cost, Facts, Outcome, levelled, winners
from starspiel.evaluation.statistics.blocks import places

#: A sum of rewards that is 0 on paper.
NEARLY = 0.1 + 0.2 - 0.3


def outcome(*returns):
    costs = (Cost(),) * len(returns)
    return Outcome(tuple(range(len(returns))), returns, None, np.nan, Facts(1, 1), costs)


@pytest.mark.parametrize(
    ("returns", "scores"),
    [
        ((NEARLY, -NEARLY), [0.5, 0.5]),
        ((-NEARLY, NEARLY), [0.5, 0.5]),
        ((1e9, -1e9), [1.0, 0.0]),
        ((1e-6, -1e-6), [1.0, 0.0]),
        ((1.0, 1.0 + NEARLY), [0.5, 0.5]),
        ((0.0, -1.0), [1.0, 0.0]),
    ],
)
def test_rounding_errors_of_rewards_win_no_game(returns, scores):
    assert NEARLY > 0.0
    assert [outcome(*returns).score(seat) for seat in (0, 1)] == scores
    facts = {name: np.array([1]) for name in Facts._fields}
    row = np.array([returns])
    many = Outcomes(
        [Pair((0, 1), 0)], np.array([[0, 1]]), row, np.array([np.nan]), facts, np.zeros((1, 2, 6))
    )
    assert many.scores.tolist() == [scores]


def test_rounding_errors_of_rewards_separate_no_places():
    assert levelled((1.0, NEARLY, 0.0, -1.0)) == [1.0, NEARLY, NEARLY, -1.0]
    assert winners((NEARLY, 0.0, -1.0)) == [0, 1]
    first, second, third = places(outcome(0.0, NEARLY, -1.0))
    assert first == second > third
