"""Wrappers that hold functions with the environment in their closures."""

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers

from starspiel.agents.env_agent import EnvAgent
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.gymnasium.sampled.clone import advance
from starspiel.envs.gymnasium.sampled.outside import Outside

pytestmark = pytest.mark.usefixtures("quick_looks")


class Sum(gymnasium.Env):
    """Throw a die up to four times; its sum is paid at the end."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(30)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.total = self.throws = 0
        return 0, {}

    def step(self, action):
        if action:
            self.total += int(self.np_random.integers(1, 7))
        self.throws += 1
        over = self.throws == 4
        return self.total, float(self.total) if over else 0.0, over, False, {}


def paid_twice_the_total(env):
    return wrappers.TransformReward(env, lambda reward: reward + env.total)


WRAPPED = {
    "FlattenObservation": wrappers.FlattenObservation,
    "DtypeObservation": lambda env: wrappers.DtypeObservation(env, np.int32),
    "TimeAwareObservation": lambda env: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 9)),
    "TransformReward": paid_twice_the_total,
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_it_plays_and_leaves_the_dice_alone(wrap):
    env, alone = wrap(Sum()), wrap(Sum())
    agent = EnvAgent("expss(depth=1,evaluator=rollout(n=2))", env, seed=1)
    env.reset(seed=7)
    alone.reset(seed=7)
    for _ in range(3):
        action = agent.act({})
        after, again = env.step(action), alone.step(action)
        assert str(after) == str(again)


def test_a_function_of_a_clone_sees_the_clone():
    env = paid_twice_the_total(Sum())
    env.reset(seed=1)
    before = env.unwrapped.total
    after = advance(env, 1, 5, "env")
    assert after.env.unwrapped.total > before == env.unwrapped.total
    assert after.reward == after.env.unwrapped.total


def test_what_a_function_counts_is_its_clones_own():
    """A function that counts its calls in a closure counts for its own clone."""
    calls = [0]

    def count(reward):
        calls[0] += 1
        return reward + calls[0]

    env = wrappers.TransformReward(Sum(), count)
    env.reset(seed=1)
    for _ in range(3):
        assert advance(env, 0, 5, "env").reward == 1.0
    assert calls == [0]


def test_a_generator_in_a_closure_of_the_environment_itself_is_refused():
    env = Sum()
    rng = np.random.default_rng(1)
    env.throw = lambda: rng.integers(1, 7)
    env.reset(seed=1)
    with pytest.raises(UnsupportedGameError, match="its closure's rng"):
        Outside(env, "env")
