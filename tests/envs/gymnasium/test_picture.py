import copy
import pickle

import gymnasium
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

from starspiel.envs.gymnasium.game import load_gymnasium, state_of


@pytest.mark.parametrize("env_id", ["FrozenLake-v1", "CliffWalking-v1", "Taxi-v4"])
def test_a_state_is_drawn_as_the_environment_draws_it_there(env_id) -> None:
    env = gymnasium.make(env_id, render_mode="ansi")
    game = load_gymnasium(gymnasium.make(env_id))
    env.action_space.seed(1)
    _, info = env.reset(seed=1)
    for _ in range(60):
        state = state_of(env, game, info)
        env.unwrapped.lastaction = None
        assert str(state) == f"{env.render().strip(chr(10))}\n{repr(state).partition(': ')[2][:-1]}"
        _, _, terminated, _, info = env.step(env.action_space.sample())
        if terminated:
            _, info = env.reset()


def test_drawing_leaves_the_environment_and_its_dice_alone() -> None:
    drawn, plain = (gymnasium.make("FrozenLake-v1", map_name="8x8") for _ in range(2))
    for env in (drawn, plain):
        env.reset(seed=5)
    game = load_gymnasium(drawn)
    assert "S" in str(game.state_at(9))
    assert drawn.unwrapped.s == plain.unwrapped.s
    assert drawn.unwrapped.render_mode is None
    steps = [[env.step(2) for _ in range(20)] for env in (drawn, plain)]
    assert steps[0] == steps[1]


class Fog(FrozenLakeEnv):
    """Draws how often it was stepped, which its table knows nothing of."""

    steps = 0

    def step(self, action):
        self.steps += 1
        return super().step(action)

    def render(self):
        return f"step {self.steps}"


class Broken(FrozenLakeEnv):
    def render(self):
        raise ZeroDivisionError


class Silent(FrozenLakeEnv):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012


@pytest.mark.parametrize("kind", [Fog, Broken, Silent])
def test_what_cannot_be_drawn_truly_is_not_drawn(kind) -> None:
    assert str(load_gymnasium(kind()).new_initial_state()) == "state 0, return 0"


def test_a_picture_stays_where_the_environment_is() -> None:
    class Local(FrozenLakeEnv):  # which pickle cannot send
        pass

    game = load_gymnasium(Local())
    assert "F" in str(game.new_initial_state())
    assert str(copy.deepcopy(game).new_initial_state()) == str(game.new_initial_state())
    for _ in range(2):
        game = pickle.loads(pickle.dumps(game))
    assert str(game.new_initial_state()) == "state 0, return 0"
