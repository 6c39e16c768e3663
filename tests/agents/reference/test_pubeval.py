"""Tesauro's benchmark: the inputs of a board by hand, and what it is far above."""

import pytest

from starspiel.agents.reference.pubeval import inputs
from starspiel.agents.roster import make_bot
from starspiel.envs.errors import SpecError
from starspiel.envs.load import load_game
from starspiel.evaluation.tournament import tournament


def side(**points):
    """Checkers by point: p6=5, and the bar."""
    return (*(points.get(f"p{place}", 0) for place in range(1, 25)), points.get("bar", 0))


def test_inputs_by_hand() -> None:
    """From the 24 point on: a blot of the other side, one, two or more, three, and half of those beyond."""
    seen = inputs(side(p24=2, p6=5, p5=3, p4=1), side(p23=1, p12=5, bar=2))
    assert len(seen) == 122
    assert seen[:5] == [0, 0, 1, 0, 0]  # two on the 24 point
    assert seen[5 * 18 : 5 * 19] == [0, 0, 1, 0, 1]  # five on the 6 point
    assert seen[5 * 19 : 5 * 20] == [0, 0, 1, 1, 0]
    assert seen[5 * 20 : 5 * 21] == [0, 1, 0, 0, 0]
    assert seen[5 * 22 : 5 * 23] == [1, 0, 0, 0, 0]  # the blot on its 23 point stands on the own 2 point
    assert seen[5 * 11 : 5 * 12] == [0, 0, 0, 0, 0]  # five of the other side are no blot
    assert seen[120:] == [1.0, 4 / 15]


@pytest.mark.slow
def test_it_is_far_above_random_play() -> None:
    assert tournament("backgammon", ["pubeval", "random"], pairs=6, seed=1).matrix[0][1] > 0.8


def test_it_plays_backgammon_only() -> None:
    with pytest.raises(SpecError, match="pubeval plays backgammon, not pig"):
        make_bot("pubeval", load_game("pig"))
