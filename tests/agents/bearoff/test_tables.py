"""The bear-off's tables: published values, gnubg's, and the rules of numbering."""

from fractions import Fraction

import numpy as np
import pytest

from starspiel.agents.bearoff.positions import COUNTS, MEN, POINTS, all_men, pips, rank
from starspiel.agents.bearoff.tables import ALL_ON, MOST_ROLLS, all_on, make_two_sided, one_sided


@pytest.fixture(scope="module")
def rolls():
    return one_sided()


@pytest.fixture(scope="module")
def wins():
    """The two-sided table of three men a side, which takes a moment only."""
    return make_two_sided(3)


def place(*men):
    """The number of the position with men on these points."""
    return int(rank(np.bincount(np.array(men) - 1, minlength=POINTS)))


def test_positions_are_numbered_once_each_fewer_men_first():
    men = all_men()
    assert len(men) == COUNTS[MEN] == 54264
    assert (rank(men) == np.arange(len(men))).all()
    assert (np.diff(men.sum(axis=1)) >= 0).all()
    assert {place(1), place(6)} == {1, 6}
    assert pips()[place(6, 6, 1)] == 13


@pytest.mark.parametrize(
    ("men", "mean"),
    [((4,), 19 / 18), ((5,), 41 / 36), ((6,), 45 / 36), ((1,) * 15, 6.979591764), ((6,) * 15, 12.266187172)],
)
def test_mean_rolls_are_the_published_ones(rolls, men, mean):
    assert rolls[place(*men)] @ np.arange(MOST_ROLLS) == pytest.approx(mean, abs=1e-9)


def test_every_distribution_is_one_and_ends_in_time(rolls):
    assert rolls.sum(axis=1) == pytest.approx(np.ones(len(rolls)), abs=1e-12)
    assert (rolls >= 0).all()
    assert not rolls[:, -1].any()
    assert rolls[0, 0] == 1.0
    # Seven men on the ace point take four rolls, or three if one of those is a double.
    three = Fraction(1) - Fraction(5, 6) ** 3
    assert rolls[place(*[1] * 7)][:4].sum() == pytest.approx(float(three))


@pytest.mark.parametrize(
    ("men", "rolls"),
    # From the 6 point by a 6, 5-1, 4-2, 2-2 or 3-3, but not by 4-4, which leaves men behind.
    [((6,) * 15, 17), ((6,) * 14 + (5,), 20 + 4 * 2), ((6,) * 14 + (1,), 20 + 4), ((1,) * 15, 36)],
)
def test_chances_of_a_first_man_off_are_those_counted_by_hand(men, rolls):
    still = all_on()[place(*men) - ALL_ON]
    assert (still[0], still[1]) == (1.0, pytest.approx(1 - rolls / 36))
    assert (np.diff(still) <= 0).all()


@pytest.mark.parametrize(
    ("own", "other", "chance"),
    [((5, 2), (1,), 19 / 36), ((6,), (1,), 27 / 36), ((1, 1), (1, 1), 1.0), ((6, 6), (6, 6), 0.754494349223)],
)
def test_chances_to_win_are_the_published_ones(wins, own, other, chance):
    assert wins[place(*own), place(*other)] == pytest.approx(chance, abs=1e-12)


def test_perfect_play_wins_as_often_as_the_fewest_rolls_or_a_little_more(wins, rolls):
    count = COUNTS[3]
    late = 1.0 - np.cumsum(rolls[:count], axis=1) + rolls[:count]
    plain = rolls[:count] @ late.T
    gain = (wins - plain)[1:, 1:]
    assert 1e-6 < gain.max() < 0.01
    assert gain.min() > -1e-9 - gain.max()
    assert (wins[1:, 1:] > 0).all()


def test_gnubg_says_the_same(rolls, wins):
    gnubg = pytest.importorskip("gnubg_nn")
    draw = np.random.default_rng(1)
    for men in (3, 7, 15):
        for _ in range(30):
            counts = np.bincount(draw.integers(0, POINTS, men), minlength=POINTS)
            theirs = np.array(gnubg.bearoff_probabilities(tuple(counts.tolist())))
            ours = rolls[int(rank(counts))][1 : len(theirs) + 1]
            assert ours == pytest.approx(theirs[: len(ours)], abs=2e-4)
    for _ in range(60):
        own, other = (np.bincount(draw.integers(0, POINTS, 3), minlength=POINTS) for _ in range(2))
        boards = [[*side.tolist(), *[0] * 19] for side in (other, own)]
        theirs = gnubg.probabilities(boards, 0)[0]
        assert wins[int(rank(own)), int(rank(other))] == pytest.approx(theirs, abs=1e-4)
