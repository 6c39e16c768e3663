import copy
import pickle

import numpy as np
import pytest

from starspiel.envs.environments.legal_masks import LegalMasks
from starspiel.envs.environments.throw import Throw

LISTS = [
    [(0, 1.0)],
    [(face, 1 / 6) for face in range(6)],
    [(5, 0.0), (3, 0.25), (4, 0.0), (9, 0.75), (1, 0.0)],
    [(roll, count / 16) for roll, count in enumerate((1, 4, 6, 4, 1))],
]


def plain(outcomes: list[tuple[int, float]], uniform: float) -> int:
    total = 0.0
    possible = [(outcome, chance) for outcome, chance in outcomes if chance > 0]
    for outcome, chance in possible:
        total += chance
        if uniform < total:
            return outcome
    return possible[-1][0]


@pytest.mark.parametrize("kind", [tuple, list])
def test_outcomes_are_those_of_the_plain_loop(kind) -> None:
    throw = Throw()
    rng = np.random.default_rng(1)
    lists = [kind(outcomes) for outcomes in LISTS]
    for uniform in [0.0, 0.25, 0.5, np.nextafter(1, 0), *rng.random(300)]:
        for outcomes in [lists[0], lists[1], lists[1], *lists]:
            assert throw(outcomes, uniform) == plain(outcomes, uniform)


def test_a_list_that_has_changed_is_added_up_again() -> None:
    throw, outcomes = Throw(), [(0, 1.0)]
    assert throw(outcomes, 0.5) == 0
    outcomes[:] = [(1, 0.4), (2, 0.6)]
    assert throw(outcomes, 0.5) == 2


def test_masks_are_those_of_the_actions_and_made_once() -> None:
    masks = LegalMasks(5)
    for legal in ((0, 3), (), (4,), (0, 1, 2, 3, 4)):
        mask = masks[legal]
        assert mask.dtype == np.int8
        assert np.flatnonzero(mask).tolist() == list(legal)
        assert masks[legal] is mask
        assert not mask.flags.writeable
    assert copy.deepcopy(masks)[0, 3] is masks[0, 3]
    assert pickle.loads(pickle.dumps(masks))[0, 3].tolist() == [1, 0, 0, 1, 0]


def test_so_many_masks_that_not_all_are_kept() -> None:
    masks = LegalMasks(2**18)
    for action in range(20):
        assert np.flatnonzero(masks[action,]).tolist() == [action]
    assert len(masks) < 10
