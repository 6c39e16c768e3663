"""What is no environment as search needs it is named at load, and what is said to help helps."""

import math
import re
import sys
import types
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel.agents.env_agent import EnvAgent
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.game import load_gymnasium
from starspiel.envs.gymnasium.refusals import MOST_ACTIONS
from starspiel.envs.load import load_game


class Sound(gymnasium.Env[Any, Any]):
    """A die a step, ten steps; its subclasses do one thing as they should not."""

    observation_space = spaces.Discrete(7)

    def __init__(self, action_space: Any = None) -> None:
        self.action_space = action_space if action_space is not None else spaces.Discrete(2)
        self.time = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.time = 0
        return 0, {}

    def step(self, action: Any) -> Any:
        assert self.action_space.contains(action), f"{action!r} is not in {self.action_space}"
        self.time += 1
        return int(self.np_random.integers(7)), 1.0, self.time >= 10, False, {}


class WithoutSeed(Sound):
    def reset(self) -> Any:  # type: ignore[override]
        self.time = 0
        return 0, {}


class BothRequired(Sound):
    def reset(self, seed: Any, options: Any) -> Any:  # type: ignore[override]
        return super().reset(seed=seed)


def begins(change: Callable[..., Any]) -> Sound:
    """Returns from `reset` what `change` makes of (observation, info)."""

    class Begins(Sound):
        def reset(self, **settings: Any) -> Any:
            return change(*super().reset(**settings))

    return Begins()


def goes_on(change: Callable[..., Any]) -> Sound:
    """Returns from `step` what `change` makes of what it should."""

    class GoesOn(Sound):
        def step(self, action: Any) -> Any:
            return change(*super().step(action))

    return GoesOn()


def pays(reward: Any) -> Sound:
    return goes_on(lambda observation, _, *rest: (observation, reward, *rest))


def fails(*_: Any) -> Any:
    raise RuntimeError("the table is gone")


def four_values() -> Sound:
    return goes_on(lambda observation, reward, over, late, info: (observation, reward, over or late, info))


def without_info() -> Sound:
    return begins(lambda observation, info: observation)


@pytest.mark.parametrize(
    ("env", "message"),
    [
        (WithoutSeed(), r"WithoutSeed: reset\(\) takes no seed; expected reset\(self, \*, seed=None"),
        (BothRequired(), r"reset\(\) needs options.*gymnasium\.Wrapper\(env\) gives it both"),
        (without_info(), r"reset\(\): expected \(observation, info\), info a dictionary, got 0"),
        (begins(lambda seen, info: (None, info)), r"reset\(\): expected an observation, got None"),
        (begins(fails), r"reset\(seed=\.\.\.\) raised RuntimeError: the table is gone"),
        (four_values(), r"step\([01]\): .*got four values.*as environments of old gym do.*FiveValues"),
        (
            goes_on(lambda *values: (*values[:4], [])),
            r"step\([01]\): expected info to be a dictionary, got \[\]",
        ),
        (goes_on(lambda *values: (None, *values[1:])), r"step\([01]\): expected an observation, got None"),
        (goes_on(lambda *values: None), r"step\([01]\): expected \(observation, .*, got None"),
        (pays("1"), r"expected a number as the reward, got '1'.*TransformReward\(env, float\)"),
        (pays(None), r"expected a number as the reward, got None"),
        (pays(np.array([1.0])), r"array of shape \(1,\).*TransformReward"),
        (pays(np.array([1.0, 2.0])), r"array of shape \(2,\).*weigh them"),
        (pays(math.nan), r"step\([01]\): expected a finite reward, got nan.*math\.isfinite"),
        (pays(-math.inf), r"expected a finite reward, got -inf"),
    ],
)
def test_what_breaks_the_contract_is_refused_at_load_in_words(env: Any, message: str) -> None:
    for load in (load_game, load_gymnasium, lambda e: EnvAgent("random", e)):
        with pytest.raises(UnsupportedGameError, match=message):
            load(env)


@pytest.mark.parametrize("reward", [True, np.int64(1), np.array(1.0), np.bool_(True)])
def test_numbers_of_every_kind_are_rewards(reward: Any) -> None:
    state: Any = load_game(pays(reward)).new_initial_state().sample(np.random.default_rng(1))  # type: ignore[attr-defined]
    assert state.child(0).sample(np.random.default_rng(1)).returns() == [1.0]


# What is said to help.


class FiveValues(gymnasium.Wrapper[Any, Any, Any, Any]):
    def step(self, action: Any) -> Any:
        observation, reward, done, info = self.env.step(action)  # type: ignore[misc]
        return observation, reward, done, False, info


class WithInfo(gymnasium.Wrapper[Any, Any, Any, Any]):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return self.env.reset(seed=seed, options=options), {}


class Seeded(gymnasium.Wrapper[Any, Any, Any, Any]):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return self.env.reset()


class Failing(gymnasium.Wrapper[Any, Any, Any, Any]):
    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if not math.isfinite(reward):  # type: ignore[arg-type]
            return observation, -100.0, True, False, info
        return observation, reward, terminated, truncated, info


@pytest.mark.parametrize(
    ("env", "total"),
    [
        (FiveValues(four_values()), 10.0),
        (WithInfo(without_info()), 10.0),
        (Seeded(WithoutSeed()), 10.0),
        (gymnasium.Wrapper(BothRequired()), 10.0),
        (Failing(pays(math.nan)), -100.0),
        (gymnasium.wrappers.TransformReward(pays("1"), float), 10.0),  # type: ignore[arg-type]
        (gymnasium.wrappers.TransformReward(pays(np.ones(1)), lambda reward: float(reward[0])), 10.0),  # type: ignore[index]
        (gymnasium.wrappers.TransformReward(pays(np.ones(2)), lambda reward: float(sum(reward))), 20.0),  # type: ignore[arg-type]
    ],
)
def test_the_cure_of_each_message_cures(env: Any, total: float) -> None:
    assert EnvAgent("expss(depth=2,width=2,evaluator=zero)", env, seed=1).play(seed=1) == total


# Action spaces.


def test_continuous_actions_are_refused_with_code_that_numbers_some() -> None:
    for space in (spaces.Box(-1.0, 1.0, (2,)), spaces.Tuple([spaces.Discrete(2), spaces.Box(0.0, 1.0)])):
        env = Sound(space)
        with pytest.raises(UnsupportedGameError, match="action space") as caught:
            load_game(env)
        message = str(caught.value)
        assert type(space).__name__ in message
        names: dict[str, Any] = {"env": env, "gymnasium": gymnasium}
        names["choices"] = eval(message.partition("choices = ")[2].partition(", and number")[0], names)
        cure = re.search(r"gymnasium\.wrappers\.TransformAction.*$", message)
        assert cure is not None
        numbered = eval(cure.group(), names)
        assert EnvAgent("expss(depth=1,width=1,evaluator=zero)", numbered, seed=1).play(seed=1) == 10.0


def test_a_space_too_large_to_try_is_refused_and_the_largest_is_not() -> None:
    with pytest.raises(UnsupportedGameError, match=r"10,000,000 actions; .* takes up to 100,000"):
        load_game(Sound(spaces.Discrete(10**7)))
    assert load_game(Sound(spaces.Discrete(MOST_ACTIONS))).num_distinct_actions == MOST_ACTIONS


# What is no environment of Gymnasium's.


def make_env() -> Sound:
    return Sound()


def old_gym() -> Any:
    module = types.ModuleType("gym.core")
    exec("class Env:\n    def reset(self): return 0\n", module.__dict__)
    return type("CarEnv", (module.__dict__["Env"],), {})()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Sound, r"got the class Sound; create an instance.*Sound\("),
        (make_env, r"got the function make_env; call it: make_env\(\)"),
        (gymnasium.vector.SyncVectorEnv([make_env, make_env]), "is 2 environments side by side"),
        (old_gym(), "CarEnv is an environment of old gym, not of Gymnasium.*old.reset"),
    ],
)
def test_what_was_given_in_place_of_an_environment_is_named(given: Any, message: str) -> None:
    for load in (load_game, load_gymnasium, lambda e: EnvAgent("random", e)):
        with pytest.raises(StarspielError, match=message):
            load(given)


def test_shimmys_openspiel_is_loaded_by_the_name_of_the_game() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    shimmy = type("OpenSpielCompatibilityV0", (), {"__module__": "shimmy.openspiel_compatibility"})
    wrapper: Any = shimmy()
    wrapper._env = pyspiel.load_game("backgammon")
    with pytest.raises(UnsupportedGameError, match=r"Shimmy.*load_game") as caught:
        load_game(wrapper)
    name = re.search(r'load_game\("(.*?)"\)', str(caught.value))
    assert name is not None
    assert load_game(name.group(1)).num_players == 2


def test_shimmys_old_gym_is_refused_before_it_is_copied() -> None:
    class GymV21CompatibilityV0(Sound):
        __module__ = "shimmy.openai_gym_compatibility"

    with pytest.raises(UnsupportedGameError, match=r"Shimmy's GymV21CompatibilityV0.*old.step"):
        load_game(GymV21CompatibilityV0())


# What goes wrong later.


def lost() -> float:
    raise KeyError("lost")


@pytest.mark.parametrize(
    ("fail", "message"),
    [
        (lambda: math.nan, r"Late: step\([01]\): expected a finite reward"),
        (lost, r"step\([01]\) raised KeyError"),
    ],
)
def test_what_fails_late_says_at_which_step(fail: Callable[[], float], message: str) -> None:
    class Late(Sound):
        """Fails after twelve steps, which is more than is tried at load."""

        def step(self, action: Any) -> Any:
            self.time += 1
            return 0, fail() if self.time > 12 else 0.0, self.time >= 16, False, {}

    agent = EnvAgent("expss(depth=2,width=1,evaluator=zero)", Late(), seed=1)
    with pytest.raises(StarspielError, match=message):
        agent.play(seed=1)


def test_own_dice_are_part_of_a_games_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sound_of_mine", types.SimpleNamespace(Sound=Sound))
    gymnasium.register("SoundOfMine-v0", "sound_of_mine:Sound")
    try:
        game = load_game("SoundOfMine-v0(own_dice=true)")
        assert game.name == "SoundOfMine-v0(own_dice=true)"
        assert load_game(game.name).name == game.name
    finally:
        del gymnasium.registry["SoundOfMine-v0"]


@pytest.mark.parametrize("name", ["FrozenLake-v1(own_dice=true)", "Blackjack-v1(own_dice=3)"])
def test_own_dice_are_for_samples_and_true_or_false(name: str) -> None:
    with pytest.raises(StarspielError, match="own_dice"):
        load_game(name)


def test_wrappers_do_not_hide_what_is_wrong_inside() -> None:
    with pytest.raises(UnsupportedGameError, match="four values"):
        load_game(gymnasium.wrappers.TimeLimit(four_values(), 5))
    with pytest.raises(UnsupportedGameError, match="takes no seed"):
        load_game(gymnasium.wrappers.TimeLimit(WithoutSeed(), 5))
