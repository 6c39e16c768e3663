"""Tables inside TransformReward and TransformAction: the rows are what the wrapped environment does."""

from typing import Any

import gymnasium
import pytest
from gymnasium import spaces

from starspiel.agents.solve import solve
from starspiel.envs.errors import StarspielError
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.gymnasium.table import TableGame

TransformAction, TransformReward = gymnasium.wrappers.TransformAction, gymnasium.wrappers.TransformReward


def lake(**params: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make("FrozenLake-v1", **params)


def backwards(env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    return TransformAction(env, lambda action: (int(action) + 2) % 4, spaces.Discrete(4))


def halved(env: gymnasium.Env[Any, Any]) -> gymnasium.Env[Any, Any]:
    return TransformReward(env, lambda reward: float(reward) / 2 - 0.01)


def test_rewards_and_actions_are_those_of_the_wrapped_environment() -> None:
    """Every step of an episode pays what the table says and leads where it may, in any order of wrappers."""
    for env in (halved(backwards(lake())), backwards(halved(lake()))):
        game = load_gymnasium(env)
        assert isinstance(game, TableGame)
        env.action_space.seed(1)
        for seed in range(20):
            at, over = int(env.reset(seed=seed)[0]), False
            while not over:
                action = int(env.action_space.sample())
                after, reward, over, truncated, _ = env.step(action)
                listed = {(t.successor, t.reward, t.terminated) for t in game.transitions(at, action)}
                assert (after, reward, over) in listed
                at, over = after, over or truncated
    assert str(state_of(env, game, observation=env.reset()[0])).endswith("state 0, return 0")


def test_the_best_policy_is_worth_what_the_wrappers_make_of_it() -> None:
    plain = solve(load_gymnasium(lake(), discount=0.9))
    paid = solve(load_gymnasium(TransformReward(lake(), lambda reward: 3 * float(reward)), discount=0.9))
    assert solve(load_gymnasium(backwards(lake()), discount=0.9)).value == pytest.approx(plain.value)
    assert paid.value == pytest.approx(3 * plain.value)


def test_a_function_that_returns_no_number_is_named() -> None:
    env = gymnasium.wrappers.TransformReward(gymnasium.make("FrozenLake-v1"), lambda reward: None)
    with pytest.raises(
        StarspielError, match=r"function of TransformReward raised .* as the reward, got None"
    ):
        load_gymnasium(env)


def test_a_function_that_does_not_take_what_is_listed_is_named() -> None:
    with pytest.raises(StarspielError, match="the function of TransformReward raised TypeError"):
        load_gymnasium(TransformReward(lake(), lambda reward: reward["none"]))  # type: ignore[index]
