"""What a ladder plays next, and that its ratings stay honest although it chooses."""

import numpy as np
import pytest

from starspiel.evaluation.statistics.blocks import Blocks
from starspiel.evaluation.statistics.bradley_terry import ELO
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.ratings import rate_all
from starspiel.evaluation.statistics.selection import most_telling, most_telling_all, most_telling_lineups


def counts(agents, *results):
    """(i, j, pairs that i won 2-0, pairs that ended 1-1)."""
    found = np.zeros((agents, agents, 3, 3))
    for i, j, won, even in results:
        found[i, j, 2, 2], found[i, j, 2, 0] = won, even
    return PairCounts(found)


def test_who_has_no_games_plays_first():
    known = counts(4, (0, 1, 20, 20), (0, 2, 20, 20), (1, 2, 20, 20))
    assert all(3 in pair for pair in most_telling(known, 3, range(4)))
    assert set(most_telling(known, 3, range(3))) <= {(0, 1), (0, 2), (1, 2)}
    assert most_telling(known, 3, [1]) == []


def test_neighbours_meet_more_often_than_agents_that_are_far_apart():
    met = [(i, j) for i in range(6) for j in range(i + 1, 6)]
    known = counts(6, *[(i, j, 3 * (j - i), 3 * (6 - j + i)) for i, j in met])
    chosen = most_telling(known, 60, range(6))
    gaps = [j - i for i, j in chosen]
    assert gaps.count(1) > 1.3 * 60 / 3
    assert set(chosen) == set(met), "and yet everybody meets everybody"


def test_choices_made_together_are_spread():
    chosen = most_telling(counts(6), 15, range(6))
    games = np.bincount(np.array(chosen).ravel(), minlength=6)
    assert games.min() >= 4
    assert len(set(chosen)) >= 10


@pytest.mark.parametrize(
    ("strengths", "pairs"),
    [(np.zeros(3), 100), (np.zeros(12), 100), (np.zeros(12), 400), (-25.0 * np.arange(12), 100)],
)
def test_a_ladders_intervals_hold_the_truth(strengths, pairs):
    """200 ladders that choose a tenth of their pairs at a time, each from all results so far."""
    rng = np.random.default_rng(1)
    agents, ladders = len(strengths), 200
    wins = 1.0 / (1.0 + np.exp((strengths - strengths[:, None]) / ELO))
    played = np.zeros((ladders, agents, agents, 3, 3))
    for _ in range(10):
        chosen = most_telling_all(PairCounts(played), pairs // 10, range(agents))
        for ladder, meetings in enumerate(chosen):
            i, j = meetings.T
            first, second = rng.random((2, len(i))) < wins[i, j]
            np.add.at(played[ladder], (i, j, 2 * first, 2 * second), 1)
    found = rate_all(PairCounts(played), [0])
    truth = strengths - strengths[0]
    held = [((each.low <= truth) & (truth <= each.high))[1:] for each in found]
    assert 0.925 < np.mean(held) < 0.98
    errors = np.array([each.elo for each in found]) - truth
    assert np.abs(errors.mean(axis=0)).max() < 10.0 + 3.0 * errors.std(axis=0).max() / np.sqrt(ladders)


def blocks_of(field, lineups):
    """Blocks of three seats in which agents of smaller numbers win."""
    agents = np.array([[np.roll(lineup, turn) for turn in range(3)] for lineup in lineups])
    returns = -agents.astype(float)
    return Blocks(field, agents, returns, returns, returns, returns)


def test_in_lineups_too_who_has_no_games_plays_first_and_everyone_plays():
    known = blocks_of(5, [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)] * 5)
    assert all(4 in lineup for lineup in most_telling_lineups(known, 5, 3, 4, range(5)))
    lineups = most_telling_lineups(None, 7, 3, 35, range(6))
    assert {len(set(lineup)) for lineup in lineups} == {3}
    met = [sum({i, j} <= set(lineup) for lineup in lineups) for i in range(6) for j in range(i)]
    assert 5 <= min(met) <= max(met) <= 9


def test_of_fewer_agents_than_seats_all_sit_in_every_way():
    known = blocks_of(3, [(0, 0, 1), (1, 1, 2)])
    assert most_telling_lineups(known, 3, 3, 3, [0, 1]) == [(0, 1, 1), (0, 1, 1), (0, 0, 1)]
