"""`action_masks()`, the protocol by which sb3-contrib's MaskablePPO asks environments for legal actions."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from starspiel.envs.environments.game_env import EpisodeOverError
from starspiel.envs.environments.register import ENVIRONMENTS

pytestmark = pytest.mark.usefixtures("quick_looks")


@pytest.mark.parametrize("arguments", [{}, {"opponent": "random", "seat": 1}], ids=["self-play", "seat 1"])
@pytest.mark.parametrize("env_id", ENVIRONMENTS)
def test_they_are_infos_mask_as_booleans_through_all_wrappers(env_id: str, arguments: dict[str, Any]) -> None:
    if "seat" in arguments and env_id == "starspiel/TwentyFortyEight-v0":
        arguments = {"max_steps": 500}  # there is no other seat
    env = gymnasium.wrappers.FlattenObservation(gymnasium.make(env_id, **arguments))
    _, info = env.reset(seed=1)
    env.action_space.seed(1)
    several = 0
    for _ in range(200):
        masks = env.get_wrapper_attr("action_masks")()
        assert masks.dtype == np.bool_
        assert masks.shape == (env.action_space.n,)
        assert np.array_equal(masks, info["action_mask"])
        several += masks.sum() > 1
        masks[:] = False  # it is the caller's own
        *_, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        if terminated or truncated:
            assert not env.get_wrapper_attr("action_masks")().any()
            _, info = env.reset()
    assert several > 10


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vectors_call_them(mode: str) -> None:
    envs = gymnasium.make_vec("starspiel/Knucklebones-v0", num_envs=2, vectorization_mode=mode)
    _, info = envs.reset(seed=1)
    assert np.array_equal(np.stack(envs.call("action_masks")), info["action_mask"])
    envs.close()


def test_before_the_first_reset_they_are_one_clear_error() -> None:
    with pytest.raises(EpisodeOverError, match=r"action_masks\(\) was called before the first reset"):
        gymnasium.make("starspiel/Pig-v0").get_wrapper_attr("action_masks")()


@pytest.mark.slow
def test_maskable_ppo_trains_on_pig_as_it_is() -> None:
    sb3 = pytest.importorskip("sb3_contrib")
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

    env = gymnasium.make("starspiel/Pig-v0", game="star_pig(goal=20)", opponent="random")
    assert is_masking_supported(env)
    model = sb3.MaskablePPO("MlpPolicy", env, seed=1, n_steps=128, device="cpu")
    assert is_masking_supported(model.env)
    model.learn(256)
    observation, info = env.reset(seed=1)
    for _ in range(50):
        masks = get_action_masks(env)
        action, _ = model.predict(observation, action_masks=masks)
        assert info["action_mask"][int(action)]
        observation, _, terminated, _, info = env.step(action)
        if terminated:
            observation, info = env.reset()
