"""Gymnasium's own tests of its environments, applied to every one that ships."""

import copy
import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.utils.env_match import check_environments_match
from gymnasium.wrappers import FlattenObservation

from starspiel.envs.environments.game_env import EpisodeOverError
from starspiel.envs.environments.register import ENVIRONMENTS

SOLO = "starspiel/TwentyFortyEight-v0"
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


@pytest.fixture(params=[0, 2])
def arguments(request: Any, env_id: str) -> dict[str, Any]:
    """Half of them for every other environment."""
    arguments = list(ARGUMENTS.values())[request.param + list(ENVIRONMENTS).index(env_id) % 2]
    return {
        name: value for name, value in arguments.items() if env_id != SOLO or name not in ARGUMENTS["seat 1"]
    }


def steps(env: Any, seed: int, count: int) -> list[Any]:
    """Everything that so many random steps give, over as many episodes as it takes."""
    seen: list[Any] = [env.reset(seed=seed)]
    env.action_space.seed(seed)
    for _ in range(count):
        seen.append(env.step(env.action_space.sample()))
        if seen[-1][2] or seen[-1][3]:
            seen.append(env.reset())
    return seen


def test_gymnasiums_checkers_warn_of_nothing(env_id: str, arguments: dict[str, Any]) -> None:
    """The passive one looks at every value that `reset`, `step` and `render` return."""
    mode = "ansi" if arguments else "rgb_array"
    env = gymnasium.make(env_id, render_mode=mode, **arguments)
    check_env(env.unwrapped)
    assert "PassiveEnvChecker" in str(env)
    for number, seen in enumerate(steps(env, 1, 60)):
        assert env.observation_space.contains(seen[0])
        shown: Any = env.render() if mode == "ansi" or number % 20 == 0 else None
        if mode == "ansi":
            assert shown == str(env.unwrapped.state)  # type: ignore[attr-defined]
        elif shown is not None:
            assert (shown.dtype, shown.ndim, shown.shape[2]) == (np.uint8, 3, 3)
            assert shown.max() > shown.min()


def test_episodes_pay_the_seats_return_and_say_who_moves(env_id: str, arguments: dict[str, Any]) -> None:
    env: Any = FlattenObservation(gymnasium.make(env_id, **{**arguments, "max_steps": None}))
    seat = arguments.get("seat", 0)
    for seed in range(2):
        _, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        total, movers, over = 0.0, set(), False
        while not over:
            movers.add(info["current_player"])
            masks = env.get_wrapper_attr("action_masks")()  # as sb3-contrib's MaskablePPO asks
            assert (masks.dtype, info["action_mask"].dtype) == (np.bool_, np.int8)
            assert np.array_equal(masks, info["action_mask"])
            assert np.flatnonzero(masks).tolist() == list(env.unwrapped.state.legal_actions())
            masks[:] = False  # it is the caller's own
            _, reward, over, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
            assert not truncated
            total += reward
        assert total == pytest.approx(env.unwrapped.state.returns()[seat])
        assert info["current_player"] == -4
        assert not info["action_mask"].any()
        assert movers == ({seat} if "opponent" in arguments else {0, 1} if env_id != SOLO else {0})


def test_equal_seeds_give_equal_rollouts(env_id: str, arguments: dict[str, Any]) -> None:
    one, two = (gymnasium.make(env_id, render_mode="rgb_array", **arguments) for _ in range(2))
    check_environments_match(one, two, num_steps=4, seed=3)  # each of which is drawn as a picture
    assert not data_equivalence(steps(one, 4, 20), steps(two, 5, 20)), "the seed changes nothing"


def test_copies_and_specifications_make_the_environment_again(env_id: str, arguments: dict[str, Any]) -> None:
    env = gymnasium.make(env_id, **arguments)
    assert env.spec is not None
    made = [gymnasium.make(spec) for spec in (env.spec, EnvSpec.from_json(env.spec.to_json()))]
    again = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), *made]
    expected = steps(env, 2, 20)
    for other in again:
        assert data_equivalence(steps(other, 2, 20), expected)
    env = gymnasium.make(env_id, illegal_reward=-1.0)
    steps(env, 1, 3)
    for other in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):  # in the middle of an episode
        action = env.action_space.sample()
        before = copy.deepcopy(env)
        assert data_equivalence(before.step(action), other.step(action))
        assert other.action_space is not env.action_space


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vectors_step_as_single_environments_do(env_id: str, mode: str) -> None:
    arguments: dict[str, Any] = {"max_steps": 40} | ({} if env_id == SOLO else {"opponent": "random"})
    envs: Any = gymnasium.make_vec(env_id, num_envs=2, vectorization_mode=mode, **arguments)
    singles = [gymnasium.make(env_id, **arguments) for _ in range(2)]
    observations, info = envs.reset(seed=[5, 6])
    expected = [env.reset(seed=seed) for env, seed in zip(singles, (5, 6), strict=True)]
    for _ in range(10):
        assert np.array_equal(np.stack(envs.call("action_masks")), info["action_mask"])
        for i, (observation, single_info, *_) in enumerate((e[0], e[-1]) for e in expected):
            assert np.array_equal(observations[i], observation)
            assert np.array_equal(info["action_mask"][i], single_info["action_mask"])
        actions = info["action_mask"].argmax(axis=1)
        observations, rewards, terminated, truncated, info = envs.step(actions)
        expected = [env.step(action) for env, action in zip(singles, actions, strict=True)]
        assert [rewards.tolist(), terminated.tolist(), truncated.tolist()] == [
            [e[place] for e in expected] for place in (1, 2, 3)
        ]
        if (terminated | truncated).any():
            break
    envs.close()


def test_masks_before_the_first_reset_are_one_clear_error() -> None:
    with pytest.raises(EpisodeOverError, match=r"action_masks\(\) was called before the first reset"):
        gymnasium.make("starspiel/Pig-v0").get_wrapper_attr("action_masks")()


@pytest.mark.slow
def test_maskable_ppo_trains_on_pig_as_it_is() -> None:
    sb3 = pytest.importorskip("sb3_contrib")
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

    env = gymnasium.make("starspiel/Pig-v0", game="star_pig(goal=20)", opponent="random")
    assert is_masking_supported(env)
    model = sb3.MaskablePPO("MlpPolicy", env, seed=1, n_steps=128, device="cpu")
    model.learn(256)
    observation, info = env.reset(seed=1)
    for _ in range(50):
        action, _ = model.predict(observation, action_masks=get_action_masks(env))
        assert info["action_mask"][int(action)]
        observation, _, terminated, _, info = env.step(action)
        if terminated:
            observation, info = env.reset()
