from itertools import combinations

from starspiel.evaluation.play.pairing import Pair, gauntlet, round_robin, solo


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
