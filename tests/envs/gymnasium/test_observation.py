"""What an environment shows is said in words, and drawn if it draws itself."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel.envs.boards import board_html, board_text
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.gymnasium.observation import in_words, observation_names
from starspiel.evaluation.play.course import Course


@pytest.mark.parametrize(
    ("observation", "names", "words"),
    [
        (None, (), ""),
        (7, (), "observation: 7"),
        (np.int64(7), (), "observation: 7"),
        (np.float32(0.123456), (), "observation: 0.1235"),
        ("mid-air", (), "observation: mid-air"),
        ((14, 10, 0), ("sum", "dealer", "ace"), "sum: 14\ndealer: 10\nace: 0"),
        ((14, True, np.int8(0)), (), "observation: 14 1 0"),
        ((14, "hearts"), (), "observation 0: 14\nobservation 1: hearts"),
        (np.array([0.5, np.inf]), ("place", "speed"), "place: 0.5\nspeed: inf"),
        (np.arange(65), (), "observation: 65 numbers"),
        (np.array([[1, 10], [0, 3]]), (), "observation:\n 1 10\n 0  3"),
        (np.zeros((1, 2, 2), bool), (), "observation [:, :, 0]:\n0 0\nobservation [:, :, 1]:\n0 0"),
        (np.zeros((96, 96, 3), np.uint8), (), "observation: 96 x 96 x 3 numbers (uint8)"),
        ({"hand": (1, 2), "action_mask": np.ones(3)}, (), "hand: 1 2"),
        ({"hand": {"cards": np.array([3, 4])}}, (), "cards: 3 4"),
    ],
)
def test_observations_in_words(observation, names, words) -> None:
    assert in_words(observation, names) == words


def test_names_are_those_of_the_documentation_where_it_names_all() -> None:
    def named(env_id: str) -> tuple[str, ...]:
        return observation_names(gymnasium.make(env_id))

    assert named("Blackjack-v1") == ("Player current sum", "Dealer showing card value", "Usable Ace")
    assert named("CartPole-v1")[0] == "Cart Position"
    assert named("FrozenLake-v1") == ()

    class Other(gymnasium.Env):
        """Only one of two is named.

        | Num | Observation |
        |-----|-------------|
        | 0   | height      |
        """

        observation_space = spaces.Box(0, 1, (2,))

    assert observation_names(Other()) == ()


def test_a_game_of_blackjack_can_be_read() -> None:
    under_way = Course(load_gymnasium("Blackjack-v1(hidden=seen)"), 7)
    env = gymnasium.make("Blackjack-v1")
    observation, _ = env.reset(seed=7)
    names = ("Player current sum", "Dealer showing card value", "Usable Ace")
    expected = [f"{name}: {part}" for name, part in zip(names, observation, strict=True)]
    assert board_text(under_way.state).splitlines() == [*expected, "return 0"]
    assert "\n".join(expected) in board_html(under_way.state)
    under_way.move(0)
    assert board_text(under_way.state).splitlines()[-1].startswith("over, return ")


class Door(gymnasium.Env):
    """A prize behind one of three doors, which only the drawing shows."""

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012
    observation_space = spaces.Discrete(1)
    action_space = spaces.Discrete(3)
    broken = False

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.prize = int(self.np_random.integers(3))
        return 0, {}

    def step(self, action):
        return 0, float(action == self.prize), True, False, {}

    def render(self):
        if self.broken or self.render_mode != "ansi":
            raise RuntimeError
        return "\n" + "".join("*" if door == self.prize else "-" for door in range(3)) + "\n"


def test_people_see_the_drawing_and_agents_only_what_is_shown(monkeypatch) -> None:
    env = Door()
    _, info = env.reset(seed=3)
    state = state_of(env, load_gymnasium(env, hidden="seen"), info, 0)
    drawn = "".join("*" if door == env.prize else "-" for door in range(3))
    assert board_text(state) == f"{drawn}\nobservation: 0\nreturn 0"
    assert str(state) == "observation: 0\nreturn 0"
    assert f'<pre class="board">{drawn}\n' in board_html(state)
    assert env.render_mode is None
    monkeypatch.setattr(Door, "broken", True)
    assert board_text(state) == str(state)
