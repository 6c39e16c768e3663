"""Gymnasium's own tests of its environments, applied to every one that ships (besides `check_env`)."""

import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.utils.env_match import check_environments_match
from gymnasium.wrappers import PassiveEnvChecker

from starspiel.envs.environments.register import ENVIRONMENTS

ARGUMENTS: dict[str, dict[str, Any]] = {
    "self-play": {},
    "seat 1": {"opponent": "random", "seat": 1},
    "truncated": {"opponent": "greedy", "max_steps": 7},
    "illegal paid": {"illegal_reward": -1.0},
}


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # OpenSpiel does not tell the range of a tensor's entries.
        warnings.filterwarnings(
            "ignore", message=".*Box observation space (min|max)imum value is.*infinity.*"
        )
        yield


@pytest.fixture(params=ENVIRONMENTS)
def env_id(request: Any) -> str:
    return str(request.param)


@pytest.fixture(params=ARGUMENTS)
def arguments(request: Any, env_id: str) -> dict[str, Any]:
    return _for_its_seats(env_id, ARGUMENTS[request.param])


def _for_its_seats(env_id: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Without the other seat, where the game has one player."""
    if gymnasium.make(env_id).unwrapped.game.num_players == 2:  # type: ignore[attr-defined]
        return arguments
    return {name: value for name, value in arguments.items() if name not in ("opponent", "seat")}


def steps(env: Any, seed: int, count: int) -> list[Any]:
    """Everything that so many random steps give, over as many episodes as it takes."""
    seen: list[Any] = [env.reset(seed=seed)]
    env.action_space.seed(seed)
    for _ in range(count):
        seen.append(env.step(env.action_space.sample()))
        if seen[-1][2] or seen[-1][3]:
            seen.append(env.reset())
    return seen


def test_the_passive_checker_warns_of_nothing(env_id: str, arguments: dict[str, Any]) -> None:
    """It looks at every value that `reset`, `step` and `render` return, and is on unless it is turned off."""
    env = gymnasium.make(env_id, render_mode="ansi", **arguments)
    layers = [env]
    while isinstance(layers[-1], gymnasium.Wrapper):
        layers.append(layers[-1].env)
    assert any(isinstance(layer, PassiveEnvChecker) for layer in layers)
    for seen in steps(env, 1, 150):
        assert env.observation_space.contains(seen[0])
        env.render()
    env.close()


def test_equal_seeds_give_equal_rollouts(env_id: str, arguments: dict[str, Any]) -> None:
    one, two = (gymnasium.make(env_id, render_mode="rgb_array", **arguments) for _ in range(2))
    check_environments_match(one, two, num_steps=8, seed=3)  # each of which is drawn as a picture
    assert not data_equivalence(steps(one, 4, 20), steps(two, 5, 20)), "the seed changes nothing"


def test_environments_are_pickled(env_id: str, arguments: dict[str, Any]) -> None:
    env = gymnasium.make(env_id, **arguments)
    twin = pickle.loads(pickle.dumps(env))
    assert data_equivalence(steps(env, 1, 40), steps(twin, 1, 40))


def test_they_are_pickled_in_the_middle_of_an_episode(env_id: str) -> None:
    env: Any = gymnasium.make(env_id, illegal_reward=-1.0)
    env.action_space.seed(1)
    env.reset(seed=1)
    for _ in range(3):
        over = env.step(env.action_space.sample())[2]
    assert not over
    twin = pickle.loads(pickle.dumps(env))
    for _ in range(10):
        action = env.action_space.sample()
        seen = env.step(action)
        assert data_equivalence(seen, twin.step(action))
        if seen[2]:
            break


def test_every_render_mode_shows_something(env_id: str) -> None:
    modes = gymnasium.make(env_id).metadata["render_modes"]
    assert modes == ["ansi", "rgb_array"]
    for mode in [*modes, "rgb_array_list"]:
        env = gymnasium.make(env_id, render_mode=mode)
        env.action_space.seed(1)
        env.reset(seed=1)
        for _ in range(3):
            shown: Any = env.render()
            if mode == "ansi":
                assert isinstance(shown, str)
                assert len(shown) > 20
            else:
                frames = shown if mode == "rgb_array_list" else [shown]
                for frame in frames:
                    assert frame.dtype == np.uint8
                    assert frame.ndim == 3
                    assert frame.shape[2] == 3
                    assert frame.max() > frame.min()
                assert frames
            env.step(env.action_space.sample())


def test_a_specification_makes_the_environment_again(env_id: str, arguments: dict[str, Any]) -> None:
    env = gymnasium.make(env_id, **arguments)
    assert env.spec is not None
    for spec in (env.spec, EnvSpec.from_json(env.spec.to_json())):
        twin = gymnasium.make(spec)
        assert data_equivalence(steps(env, 2, 30), steps(twin, 2, 30))


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vectors_step_as_single_environments_do(env_id: str, mode: str) -> None:
    arguments = _for_its_seats(env_id, {"opponent": "random", "max_steps": 40})
    envs: Any = gymnasium.make_vec(env_id, num_envs=2, vectorization_mode=mode, **arguments)
    singles = [gymnasium.make(env_id, **arguments) for _ in range(2)]
    observations, info = envs.reset(seed=[5, 6])
    expected = [env.reset(seed=seed) for env, seed in zip(singles, (5, 6), strict=True)]
    for _ in range(10):
        for i, (observation, single_info, *_) in enumerate((e[0], e[-1]) for e in expected):
            assert np.array_equal(observations[i], observation)
            assert np.array_equal(info["action_mask"][i], single_info["action_mask"])
        actions = info["action_mask"].argmax(axis=1)
        observations, rewards, terminated, truncated, info = envs.step(actions)
        expected = [env.step(action) for env, action in zip(singles, actions, strict=True)]
        assert rewards.tolist() == [e[1] for e in expected]
        assert terminated.tolist() == [e[2] for e in expected]
        assert truncated.tolist() == [e[3] for e in expected]
        if (terminated | truncated).any():
            break
    envs.close()
