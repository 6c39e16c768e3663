import random
from typing import ClassVar

import gymnasium
import pytest

from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.gymnasium.sampled.classes import Classes
from starspiel.envs.gymnasium.sampled.clone import clone


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
    through = Classes.add
    monkeypatch.setattr(Classes, "add", lambda self, cls: looked.append(cls) or through(self, cls))
    env = tabled()
    clone(env, 1, "tabled")
    assert looked.count(type(env)) == 1
    for seed in range(5):
        clone(env, seed, "tabled")
    assert looked.count(type(env)) == 1
    type(env).TABLE[3][1][1][0] = 7
    clone(env, 1, "tabled")
    assert looked.count(type(env)) == 2


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
