"""Schedules of blocks: who sits together, how often, and behind whom."""

from collections import Counter
from itertools import chain, combinations, islice
from math import ceil, factorial

import pytest

from starspiel.evaluation.play.designs import design, often
from starspiel.evaluation.play.lineups import blocks
from starspiel.evaluation.play.pairing import part, rotations


def meetings(schedule):
    return Counter(two for block in schedule for two in combinations(sorted(set(block.agents)), 2))


@pytest.mark.parametrize("seats", [3, 4, 6, 10])
@pytest.mark.parametrize("agents", range(2, 14))
def test_every_two_agents_meet_equally_often_or_nearly_so(agents, seats):
    schedule = list(blocks(agents, seats, 10))
    met = meetings(schedule)
    each = 1 if agents <= seats else often(design(agents, seats))
    balanced = each and each * ceil(10 / each) <= 15
    assert len(met) == agents * (agents - 1) // 2
    assert 10 <= min(met.values()) <= max(met.values()) <= min(met.values()) + (0 if balanced else 3)
    played = Counter(agent for block in schedule for agent in block.agents)
    assert max(played.values()) - min(played.values()) <= (0 if balanced else 2)
    ids = [(tuple(sorted(block.agents)), block.number) for block in schedule]
    assert len(set(ids)) == len(ids)
    assert all(len(block.agents) == seats == len(list(block.seatings())) for block in schedule)


@pytest.mark.parametrize(("agents", "seats"), [(2, 3), (3, 4), (4, 4), (6, 3), (9, 4)])
def test_more_blocks_begin_with_the_same(agents, seats):
    few = list(blocks(agents, seats, 5))
    assert few == list(islice(blocks(agents, seats, 50), len(few)))


@pytest.mark.parametrize(("least", "meetings_of_two"), [(2, 2), (5, 6), (10, 12), (3, 3), (1, 1)])
def test_rounds_are_played_whole_if_they_are_not_much_longer(least, meetings_of_two):
    """Every two of eight in threes: together in six blocks of a round."""
    assert often(design(8, 3)) == 6
    met = meetings(blocks(8, 3, least)).values()
    assert min(met) == meetings_of_two
    assert (min(met) == max(met)) == (least >= 5)


def test_each_agent_sits_in_each_seat_as_often_as_in_any_other():
    for block in blocks(3, 4, 3):
        for agent in set(block.agents):
            by_seat = [sum(seats[seat] == agent for seats in block.seatings()) for seat in range(4)]
            assert by_seat == [block.agents.count(agent)] * 4


@pytest.mark.parametrize(("seats", "least"), [(3, 2), (4, 6), (5, 24)])
def test_all_orders_come_before_any_comes_again(seats, least):
    orders = [min(rotations(block.agents)) for block in blocks(seats, seats, 2 * least)]
    assert len(set(orders[:least])) == least == factorial(seats - 1)
    assert orders[:least] == orders[least:]


def test_two_agents_share_the_seats_in_every_way():
    shares = Counter(block.agents.count(0) for block in blocks(2, 5, 8))
    assert shares == {1: 2, 2: 2, 3: 2, 4: 2}


def test_in_a_gauntlet_the_first_agent_meets_each_of_the_others():
    schedule = list(blocks(7, 3, 10, gauntlet=True))
    assert all(0 in block.agents for block in schedule)
    met = meetings(schedule)
    own = [met[0, other] for other in range(1, 7)]
    assert min(own) == max(own) == 10
    others = [met[two] for two in combinations(range(1, 7), 2)]
    assert min(others) == max(others) == 2


def test_parts_of_blocks_are_all_of_them_and_of_a_size():
    schedule = list(blocks(6, 3, 10))
    shares = [list(part(schedule, number, 4)) for number in range(1, 5)]
    assert sorted(map(repr, chain.from_iterable(shares))) == sorted(map(repr, schedule))
    assert max(map(len, shares)) - min(map(len, shares)) <= 4
