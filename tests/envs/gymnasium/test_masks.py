"""The legal actions of an environment, wherever its author has put them; nonsense is refused."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel.agents.env_agent import EnvAgent
from starspiel.envs.conformance import check_game
from starspiel.envs.errors import StarspielError, StarspielWarning
from starspiel.envs.gymnasium.game import state_of
from starspiel.envs.gymnasium.masks import legal_actions
from starspiel.envs.load import load_game


class Masked(gymnasium.Env[Any, int]):
    """A die is thrown; of the actions 3 to 6 those below the die are legal, and others end the world."""

    action_space = spaces.Discrete(4, start=3)
    observation_space = spaces.Discrete(100)

    def __init__(self, place: str = "", told: Any = None) -> None:
        self.place, self.told = place, told
        self.die = self.steps = 0

    def answer(self) -> Any:
        legal = [action for action in range(3, 7) if action < self.die]
        if self.told is not None:
            return self.told
        if self.place in ("valid_actions", "legal_actions"):
            return legal
        return np.array([action in legal for action in range(3, 7)], np.int8)

    def _look(self) -> tuple[Any, dict[str, Any]]:
        self.die = int(self.np_random.integers(4, 8))
        if self.place == "observation":
            return {"observation": self.die, "action_mask": self.answer()}, {}
        in_info = self.place not in ("", "method")
        return self.die, {self.place: self.answer()} if in_info else {}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        return self._look()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if not action < self.die:
            raise RuntimeError("an illegal action was played")
        self.steps += 1
        observation, info = self._look()
        return observation, float(action), self.steps == 4, False, info


class Offering(Masked):
    """By the protocol of sb3-contrib."""

    def __init__(self) -> None:
        super().__init__("method")

    def action_masks(self) -> Any:
        return self.answer()


def legal_of(env: Masked) -> list[bool]:
    return [action < env.die for action in range(3, 7)]


PLACES = ("action_mask", "method", "observation", "valid_actions", "legal_actions")


@pytest.mark.parametrize("place", PLACES)
def test_masks_are_read_wherever_they_are(place: str) -> None:
    """By loading (whose trial steps would end the world), the check, the agent and whole episodes."""
    env = gymnasium.wrappers.OrderEnforcing(Offering() if place == "method" else Masked(place))
    assert check_game(load_game(env), games=5, positions=20, seconds=1).ok
    agent = EnvAgent("expss(depth=1,width=2)", env, seed=1)
    assert agent.play(seed=1) >= 12.0
    observation, info = env.reset(seed=5)
    inside: Any = env.unwrapped
    state = state_of(env, agent.game, info, observation)
    assert state.legal_actions() == list(range(3, inside.die))


def test_the_user_s_own_function_is_handed_the_clone_and_is_the_only_one_read() -> None:
    env = Masked("action_mask", told=[1, 1, 1, 1])
    unmasked = EnvAgent("random", env, seed=1)
    with pytest.raises(RuntimeError, match="illegal action"):
        sum(unmasked.play(seed=seed) for seed in range(20))
    agent = EnvAgent("expss(depth=2,width=2)", env, seed=1, mask=lambda inside: legal_of(inside.unwrapped))
    assert agent.play(seed=1) >= 12.0
    env.reset(seed=2)
    assert agent.act() in range(3, env.die)


@pytest.mark.parametrize(("place", "needed"), [("action_mask", "info"), ("observation", "observation")])
def test_what_holds_the_mask_must_be_given(place: str, needed: str) -> None:
    env = Masked(place)
    agent = EnvAgent("random", env, seed=1)
    env.reset(seed=1)
    with pytest.raises(StarspielError, match=f"legal actions are in {needed}, so that must be given"):
        agent.act()
    offering = Offering()
    agent = EnvAgent("random", offering, seed=1)
    offering.reset(seed=1)
    assert agent.act() in range(3, offering.die)


@pytest.mark.parametrize(
    "told", [[1, 0, 1, 0], (True, False, True, False), np.array([1, 0, 1, 0], bool), np.array([1.0, 0, 1, 0])]
)
def test_kinds_of_masks(told: Any) -> None:
    assert legal_actions(Masked(), None, {"action_mask": told}, None, "game") == [3, 5]


@pytest.mark.parametrize(
    "told", [[5, 3], {3, 5}, (np.int64(3), 5), np.array([3, 5]), [True, False, True, False]]
)
def test_kinds_of_lists(told: Any) -> None:
    assert legal_actions(Masked(), None, {"valid_actions": told}, None, "game") == [3, 5]


@pytest.mark.parametrize(
    ("info", "words"),
    [
        ({"action_mask": [1, 1]}, r"a mask of 4 entries, one per action, got an array of shape \(2,\)"),
        ({"action_mask": [[1, 1, 1, 1]]}, r"shape \(1, 4\)"),
        ({"action_mask": [1, 2, 0, 0]}, r"hold 0 and 1 only, got \[1, 2, 0, 0\]"),
        ({"action_mask": [0.5, 1, 0, 0]}, "hold 0 and 1 only"),
        ({"action_mask": [float("nan"), 1, 0, 0]}, "hold 0 and 1 only"),
        ({"action_mask": "1111"}, "a mask of 4 entries, one per action, got '1111'"),
        ({"action_mask": {3: 1}}, "a mask of 4 entries"),
        ({"action_mask": [0, 0, 0, 0]}, "allows no action, and the episode is not over"),
        ({"valid_actions": []}, "allows no action, and the episode is not over"),
        ({"valid_actions": [3, 9]}, r"lists \[3, 9\]; expected actions from 3 to 6"),
        ({"valid_actions": [3.5]}, "to list actions"),
        ({"valid_actions": ["roll"]}, "to list actions"),
        ({"valid_actions": 3}, "to list actions"),
        (
            {"action_mask": [1, 1, 0, 0], "legal_actions": [3]},
            r"\[3, 4\], info\['legal_actions'\] allows \[3\]",
        ),
    ],
)
def test_what_cannot_be_a_mask_is_refused_in_words(info: dict[str, Any], words: str) -> None:
    with pytest.raises(StarspielError, match=words):
        legal_actions(Masked(), None, info, None, "game")


def test_sources_that_disagree_are_refused() -> None:
    env = Offering()
    env.die = 5
    with pytest.raises(StarspielError, match=r"info\['action_mask'\] allows .* action_masks\(\) allows"):
        legal_actions(env, None, {"action_mask": [1, 1, 1, 1]}, None, "game")
    with pytest.raises(StarspielError, match="mask= raised AttributeError"):
        legal_actions(env, None, None, lambda env: env.nothing, "game")


def test_a_mask_for_a_table_is_refused() -> None:
    with pytest.raises(StarspielError, match="what has no rows in it cannot be taken"):
        load_game("FrozenLake-v1", mask=lambda env: [1, 1, 1, 1])
    with pytest.raises(StarspielError, match="mask must be a function"):
        load_game("CartPole-v1", mask=[1, 1])


@pytest.mark.parametrize("name", ["legal_moves", "available_actions", "validMoves", "actions_mask"])
def test_a_mask_of_another_name_is_warned_of(name: str) -> None:
    with pytest.warns(StarspielWarning, match=rf"info\['{name}'\] seems to tell the legal actions"):
        load_game(Masked(name), hidden="seen")

    class Method(Masked):
        pass

    setattr(Method, f"get_{name}", lambda self: self.answer())
    with pytest.warns(StarspielWarning, match=rf"env\.get_{name} seems to tell"):
        load_game(Method(), hidden="seen")
    with warnings.catch_warnings():
        warnings.simplefilter("error", StarspielWarning)
        load_game(Method("action_mask"), hidden="seen")
        load_game(Method(), hidden="seen", mask=lambda env: env.answer())
