"""Random play on one clone: lengths, seeds, and dice that are nobody else's."""

import random
from typing import Any

import gymnasium
import numpy as np
import pytest
from support.farkle import Farkle

from starspiel.envs.base import SelfPlayingState
from starspiel.envs.gymnasium.game import load_gymnasium, state_of

pytestmark = pytest.mark.usefixtures("quick_looks")


class Walk(gymnasium.Env[Any, Any]):
    """Pays a throw of the dice at every step; ends after 30."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(31)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.at = 0
        return 0, {}

    def step(self, action: int) -> Any:
        self.at += 1
        return self.at, float(self.throw()), self.at == 30, False, {}

    def throw(self) -> Any:
        return self.np_random.integers(1_000_000)


class Global(Walk):
    """Throws the global dice."""

    def throw(self) -> Any:
        return random.randrange(1000) + np.random.randint(1000)


def begun(env: Any) -> Any:
    game = load_gymnasium(env)
    _, info = env.reset(seed=1)
    return state_of(env, game, info)


def played(state: Any, seed: int, actions: int = 100) -> float:
    return float(state.play_on(np.random.default_rng(seed), actions).returns()[0])


def test_both_kinds_of_state_play_themselves() -> None:
    state = begun(Walk())
    assert isinstance(state, SelfPlayingState)
    assert isinstance(state.child(0), SelfPlayingState)
    assert isinstance(state.get_game().new_initial_state(), SelfPlayingState)


@pytest.mark.parametrize(("actions", "taken"), [(1, 1), (29, 29), (30, 30), (500, 30)])
def test_so_many_actions_and_no_more(actions: int, taken: int) -> None:
    state = begun(Walk())
    rng = np.random.default_rng(1)
    for start, more in ((state, 0), (state.child(1), 1), (state.get_game().new_initial_state(), 0)):
        end = start.play_on(rng, actions)
        assert end.env.unwrapped.at == min(taken + more, 30)
        assert end.is_terminal() == (end.env.unwrapped.at == 30)
    assert state.env.unwrapped.at == 0, "the state itself stays as it is"


@pytest.mark.parametrize("make", [Walk, Global, Farkle])
def test_one_seed_gives_one_return_and_others_others(make: Any) -> None:
    state = begun(make())
    found = [played(state, seed) for seed in (1, 2, 3, 4, 1)]
    assert found[0] == found[4]
    assert len(set(found)) > 1


def test_the_horizon_ends_it() -> None:
    game: Any = load_gymnasium(Walk(), horizon=5)
    end = game.new_initial_state().play_on(np.random.default_rng(1), 100)
    assert (end.env.unwrapped.at, end.is_terminal()) == (5, True)


def test_the_global_dice_and_the_environments_own_stay_as_they_are() -> None:
    for make in (Walk, Global):
        env = make()
        state = begun(env)
        before = (random.getstate(), repr(np.random.get_state()), env.np_random.bit_generator.state)
        played(state, 1)
        played(state.child(0), 1)
        assert before == (random.getstate(), repr(np.random.get_state()), env.np_random.bit_generator.state)


def test_random_play_is_fair() -> None:
    """Farkle on one clone and cloned at every step: the same mean."""
    state = begun(Farkle(turns=1))
    rng, draw = np.random.default_rng(1), random.Random(1)

    def step_by_step() -> float:
        at = state
        while not at.is_terminal():
            at = at.child(draw.choice(at.legal_actions())).sample(rng)
        return float(at.returns()[0])

    quick = np.array([played(state, seed) for seed in range(400)])
    slow = np.array([step_by_step() for _ in range(400)])
    assert abs(quick.mean() - slow.mean()) < 4 * ((quick.var() + slow.var()) / 400) ** 0.5
