"""Functions given as `clone=` that return another situation are refused in words."""

import copy
from typing import Any

import gymnasium
import pytest
from gymnasium import spaces

from starspiel import EnvAgent
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.game import load_gymnasium

pytestmark = pytest.mark.usefixtures("quick_looks")


class Steps(gymnasium.Env[int, int]):
    """Adds up, with a die or without; eight actions long."""

    def __init__(self, die: bool = False, masked: bool = False) -> None:
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Discrete(200)
        self.die, self.masked, self.total, self.time = die, masked, 0, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.total = self.time = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.total += action + 1 + (int(self.np_random.integers(6)) if self.die else 0)
        self.time += 1
        return self.total, float(action), self.time == 8, False, {}

    def action_masks(self) -> list[int]:
        return [1, 1, int(not self.masked or self.total < 3)]

    def _get_obs(self) -> int:
        return self.total


def faithful(env: Steps) -> Steps:
    twin = Steps(env.die, env.masked)
    twin.total, twin.time = env.total, env.time
    return twin


def fresh(env: Steps) -> Steps:
    return Steps(env.die, env.masked)


def reset(env: Steps) -> Steps:
    twin = faithful(env)
    twin.reset(seed=1)
    return twin


def half(env: Steps) -> Steps:
    """Forgets the time: only the end differs."""
    twin = faithful(env)
    twin.time = 0
    return twin


def make(**given: bool) -> Any:
    return gymnasium.wrappers.TimeLimit(Steps(**given), 50)


OTHERS = "clone= returns is not in the situation .* after reset"


@pytest.mark.parametrize("die", [False, True])
@pytest.mark.parametrize("function", [fresh, reset, half])
def test_another_situation_is_refused(function: Any, die: bool) -> None:
    for masked in (False, True):
        with pytest.raises(UnsupportedGameError, match=OTHERS):
            load_gymnasium(make(die=die, masked=masked), clone=function)


@pytest.mark.parametrize("function", [fresh, reset])
def test_and_so_it_is_if_no_seed_decides_the_dice_but_no_copy_differs(function: Any) -> None:
    with pytest.raises(UnsupportedGameError, match=OTHERS):
        load_gymnasium(make(), clone=function, own_dice=True)


@pytest.mark.parametrize("die", [False, True])
def test_one_environment_for_all_is_refused(die: bool) -> None:
    always, stored = Steps(die), Steps(die)
    always.reset(seed=1)
    stored.reset(seed=1)
    with pytest.raises(UnsupportedGameError, match="clone= returned the same object"):
        load_gymnasium(make(die=die), clone=lambda env: always)
    with pytest.raises(UnsupportedGameError, match=r"is not in the situation"):
        load_gymnasium(make(die=die), clone=lambda env: copy.deepcopy(stored))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("die", [False, True])
def test_the_same_situation_is_played(die: bool, masked: bool) -> None:
    for function in (faithful, copy.deepcopy):
        agent = EnvAgent("uct(simulations=20)", make(die=die, masked=masked), seed=1, clone=function)
        assert agent.play(seed=1) >= 0


def test_a_function_that_is_wrong_for_the_real_environment_is_refused_at_the_first_act() -> None:
    """It goes by something that the clones it was tried on have not got."""

    def chosen(env: Steps) -> Steps:
        return reset(env) if hasattr(env, "real") else faithful(env)

    for masked, said in ((False, "shows 0, and act was given"), (True, "allows the actions")):
        env = Steps(masked=masked)
        agent = EnvAgent("uct(simulations=20)", env, seed=1, clone=chosen)
        env.reset(seed=1)
        observation, *_, info = env.step(2)
        agent.act(info, observation)
        env.real = True  # type: ignore[attr-defined]
        with pytest.raises(StarspielError, match=said):
            agent.act(info, observation)
