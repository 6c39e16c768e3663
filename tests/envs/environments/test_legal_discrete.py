"""What is drawn from a space of actions with a mask."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete

from starspiel.envs.environments.game_env import LegalDiscrete


def _seeded() -> tuple[LegalDiscrete, Discrete]:
    ours, theirs = LegalDiscrete(7, None), Discrete(7)
    ours.seed(3)
    theirs.seed(3)
    return ours, theirs


@pytest.mark.parametrize(
    "renewed", [lambda space: space, copy.deepcopy, lambda space: pickle.loads(pickle.dumps(space))]
)
def test_the_draws_are_those_of_discrete(renewed: Any) -> None:
    ours, theirs = _seeded()
    ours = renewed(ours)
    rng = np.random.default_rng(0)
    for _ in range(300):
        mask = (rng.random(7) < 0.3).astype(np.int8)  # at times of no action
        drawn, expected = ours.sample(mask), theirs.sample(mask)
        assert drawn == expected
        assert type(drawn) is type(expected)


def test_a_mask_that_is_changed_in_place_is_read_anew() -> None:
    ours, _ = _seeded()
    mask = np.array([1, 0, 0, 0, 0, 0, 0], np.int8)
    assert ours.sample(mask) == 0
    mask[:] = 0, 0, 1, 0, 0, 0, 0
    assert ours.sample(mask) == 2


@pytest.mark.parametrize("mask", [np.full(7, 2, np.int8), np.ones(6, np.int8), np.ones(7, np.int64), [1] * 7])
def test_masks_that_discrete_refuses_are_refused(mask: Any) -> None:
    ours, theirs = _seeded()
    for space in (theirs, ours):
        with pytest.raises(AssertionError):
            space.sample(mask)


def test_probabilities_are_those_of_discrete() -> None:
    ours, theirs = _seeded()
    chances = np.array([0, 0.5, 0, 0, 0.25, 0.25, 0])
    assert [ours.sample(probability=chances) for _ in range(50)] == [
        theirs.sample(probability=chances) for _ in range(50)
    ]
