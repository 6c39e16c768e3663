from collections import Counter
from itertools import combinations

import pytest

from starspiel.evaluation.play.pairing import Pair, gauntlet, part, round_robin, solo


def test_round_robin_is_every_meeting_in_rounds():
    schedule = list(round_robin(4, 3))
    assert len(schedule) == 3 * 6
    for number in range(3):
        block = schedule[6 * number : 6 * number + 6]
        assert {pair.agents for pair in block} == set(combinations(range(4), 2))
        assert {pair.number for pair in block} == {number}


def test_gauntlet_is_the_first_against_the_others():
    assert [pair.agents for pair in gauntlet(4, 2)] == [(0, 1), (0, 2), (0, 3)] * 2


def test_seats_are_swapped_in_a_pair():
    assert list(Pair((2, 5), 0).seatings()) == [(2, 5), (5, 2)]
    assert list(Pair((2,), 0).seatings()) == [(2,)]
    assert [pair.agents for pair in solo(2, 2)] == [(0,), (1,), (0,), (1,)]


@pytest.mark.parametrize(("agents", "pairs", "parts"), [(2, 10, 2), (4, 1, 2), (3, 4, 3), (5, 7, 4)])
def test_parts_make_the_whole_and_share_every_meeting(agents, pairs, parts):
    whole = list(round_robin(agents, pairs))
    shares = [list(part(whole, number, parts)) for number in range(1, parts + 1)]
    assert sorted((pair for share in shares for pair in share), key=repr) == sorted(whole, key=repr)
    for share in shares:
        met = Counter(pair.agents for pair in share)
        assert all(abs(met[pair.agents] - pairs / parts) <= 1 for pair in whole)
