import random
from typing import ClassVar

import gymnasium
import numpy as np
import pytest

from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.gymnasium.sampled.clone import clone
from starspiel.envs.gymnasium.sampled.plain_tables import _Table, is_plain_table


@pytest.mark.parametrize(
    "table",
    [
        {1: [(2.0, "x", None)], "y": {3, 4}},
        ((1, 2), frozenset({(3, b"4")})),
        [np.arange(5), np.zeros(2, bool)],
        [],
    ],
)
def test_numbers_and_text_in_containers_are_plain(table) -> None:
    assert is_plain_table(Thrower, "table", table)


@pytest.mark.parametrize(
    "table",
    [
        5,
        [np.random.default_rng(1)],
        {random.Random(1): 2},
        {1: [(2, iter([3]))]},
        [np.array([random.Random(1)], object)],
        (len,),
    ],
)
def test_anything_else_is_walked(table) -> None:
    assert not is_plain_table(Thrower, "table", table)


class Thrower(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(7)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        return int(self.np_random.integers(7)), 0.0, False, False, {}


def tabled() -> gymnasium.Env:
    """An environment of a class of its own, with tables that all of that class share."""

    class Tabled(Thrower):
        TABLE: ClassVar = {i: [(j, [j]) for j in range(3)] for i in range(20)}
        FIXED: ClassVar = tuple((i, str(i)) for i in range(20))

    env = Tabled()
    env.reset(seed=1)
    return env


def test_a_table_of_the_class_is_looked_through_once(monkeypatch) -> None:
    looked = []
    through = _Table._look_through
    monkeypatch.setattr(_Table, "_look_through", lambda self: looked.append(1) or through(self))
    env = tabled()
    clone(env, 1, "tabled")
    once = len(looked)
    assert once >= 2
    for seed in range(5):
        clone(env, seed, "tabled")
    assert len(looked) == once
    type(env).TABLE[3][1][1][0] = 7
    clone(env, 1, "tabled")
    assert len(looked) == once + 1


@pytest.mark.parametrize(
    "put",
    [
        lambda cls, dice: cls.TABLE.update({5: dice}),
        lambda cls, dice: cls.TABLE[3].append(dice),
        lambda cls, dice: cls.TABLE[3][1][1].__setitem__(0, dice),
        lambda cls, dice: cls.TABLE.update({dice: 5}),
        lambda cls, dice: setattr(cls, "TABLE", {1: dice}),
    ],
)
def test_dice_put_into_a_table_later_are_found(put) -> None:
    env = tabled()
    clone(env, 1, "tabled")
    put(type(env), random.Random(1))
    with pytest.raises(UnsupportedGameError, match="is a Random that the environment and its clones share"):
        clone(env, 1, "tabled")


def test_an_equal_list_in_place_of_another_is_looked_at_as_well() -> None:
    env = tabled()
    clone(env, 1, "tabled")
    row = [(j, [j]) for j in range(3)]
    type(env).TABLE[3] = row
    clone(env, 1, "tabled")
    row.append(random.Random(1))
    with pytest.raises(UnsupportedGameError, match="Random"):
        clone(env, 1, "tabled")
