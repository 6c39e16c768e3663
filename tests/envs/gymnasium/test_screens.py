"""Environments that draw with pygame are searched like others, and searches show nothing."""

import copy
import pickle
from typing import Any

import gymnasium
import pytest
from gymnasium import spaces

from starspiel import EnvAgent
from starspiel.envs.gymnasium.cloning.clone import advance
from starspiel.envs.gymnasium.cloning.screens import make_copyable

pygame = pytest.importorskip("pygame")


class Drawn(gymnasium.Env[Any, Any]):
    """Its state is the colour of a pixel; each step draws it in the window."""

    metadata = {"render_modes": ["human"]}  # noqa: RUF012
    action_space = spaces.Discrete(2)
    observation_space = spaces.Discrete(256)
    drawings = 0

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.kept = {"board": [pygame.Surface((1, 1))]}
        self.font, self.clock = pygame.font.Font(None, 12), pygame.time.Clock()

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.kept["board"][0].set_at((0, 0), (0, 0, 0))
        return self._shown()

    def step(self, action: int) -> Any:
        self.kept["board"][0].set_at((0, 0), (self.red + 1 + action, 0, 0))
        observation, info = self._shown()
        return observation, float(action), self.red >= 8, False, info

    @property
    def red(self) -> int:
        return int(self.kept["board"][0].get_at((0, 0))[0])

    def _shown(self) -> Any:
        if self.render_mode == "human":
            self.render()
        return self.red, {}

    def render(self) -> None:
        Drawn.drawings += 1


@pytest.fixture(autouse=True)
def _no_window(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.font.init()


def test_clones_have_surfaces_of_their_own_and_draw_nothing() -> None:
    env = Drawn(render_mode="human")
    env.reset(seed=1)
    drawings = Drawn.drawings
    after = advance(advance(env, 1, 0, "it").env, 1, 0, "it")
    assert (after.observation, env.red) == (4, 0)
    agent = EnvAgent("star2ss(depth=3,width=1)", env, seed=1)
    assert agent.act() == 1
    assert (Drawn.drawings, env.red, env.render_mode) == (drawings, 0, "human")
    env.step(1)
    assert Drawn.drawings == drawings + 1


@pytest.mark.parametrize("mode", ["human", "rgb_array"])
def test_an_environment_that_has_drawn_itself(mode: str) -> None:
    env = gymnasium.make("Blackjack-v1", render_mode=mode)
    env.reset(seed=1)
    env.render()
    agent = EnvAgent("star2ss(depth=2,width=2)", env, seed=1, hidden="seen")
    plain = gymnasium.make("Blackjack-v1")
    plain.reset(seed=1)
    expected = EnvAgent("star2ss(depth=2,width=2)", plain, seed=1, hidden="seen")
    assert agent.act() == expected.act()
    env.close()


def test_an_environment_of_pettingzoo_that_is_watched() -> None:
    pytest.importorskip("pettingzoo")
    from pettingzoo.classic import tictactoe_v3

    env = tictactoe_v3.env(render_mode="human")
    env.reset(seed=1)
    for action in (0, 3, 1, 4):
        env.step(action)
    assert EnvAgent("star2ss(depth=2,width=1)", env, seed=1).act() == 2
    env.close()


def test_surfaces_are_pickled_as_little_as_before() -> None:
    make_copyable()
    surface = pygame.Surface((2, 2))
    assert copy.deepcopy(surface) is not surface
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(surface)
