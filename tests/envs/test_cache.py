"""Caches make things once, stay small, and give what a plain computation does."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest

from starspiel.envs.cache import ByIdentity, Cache
from starspiel.envs.environments.throw import throw

LISTS = [
    [(0, 1.0)],
    [(face, 1 / 6) for face in range(6)],
    [(5, 0.0), (3, 0.25), (4, 0.0), (9, 0.75), (1, 0.0)],
    [(roll, count / 16) for roll, count in enumerate((1, 4, 6, 4, 1))],
]


def test_a_cache_makes_each_thing_once_and_starts_anew_when_it_is_full() -> None:
    cache = Cache(partial(np.full, 2), most=3)
    made = [cache[number] for number in range(3)]
    assert [cache[number] is made[number] for number in range(3)] == [True] * 3
    assert copy.deepcopy(cache) is cache
    assert pickle.loads(pickle.dumps(cache))[2].tolist() == [2, 2]
    assert cache[3].tolist() == [3, 3]
    assert len(cache) == 1


def test_equal_tuples_are_told_apart_and_lists_are_looked_at_again() -> None:
    asked = []
    cache = ByIdentity(lambda thing: asked.append(thing) or len(thing), most=2)
    (one, other), changing = map(tuple, ([1, 2], [1, 2])), [1]
    assert [cache(one), cache(one), cache(other), cache(changing)] == [2, 2, 2, 1]
    changing.append(2)
    assert cache(changing) == 2
    assert len(asked) == 4
    assert cache((3,)) == 1


@pytest.mark.parametrize("kind", [tuple, list])
def test_outcomes_are_thrown_as_by_adding_up_their_chances(kind) -> None:
    for outcomes in map(kind, LISTS):
        for uniform in [0.0, 0.25, 0.5, np.nextafter(1, 0), *np.random.default_rng(1).random(300)]:
            possible = [(outcome, chance) for outcome, chance in outcomes if chance > 0]
            total, expected = 0.0, possible[-1][0]
            for outcome, chance in possible:
                total += chance
                if uniform < total:
                    expected = outcome
                    break
            assert throw(outcomes, uniform) == expected
