"""Composite actions as numbers: each action once, masks of every kind, agents that act in the real space."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel import EnvAgent, load_game
from starspiel.envs.errors import StarspielError
from starspiel.envs.gymnasium.numbering import Numbering

SPACES = {
    "MultiDiscrete": spaces.MultiDiscrete([3, 4]),
    "MultiDiscrete with starts": spaces.MultiDiscrete([3, 2], start=[1, -2]),
    "MultiDiscrete, two dimensions": spaces.MultiDiscrete([[2, 2], [2, 3]]),
    "MultiBinary": spaces.MultiBinary(3),
    "MultiBinary, two dimensions": spaces.MultiBinary([2, 2]),
    "Tuple": spaces.Tuple([spaces.Discrete(2), spaces.Discrete(3, start=1), spaces.MultiBinary(2)]),
    "Dict": spaces.Dict(a=spaces.Discrete(2), b=spaces.Tuple([spaces.MultiDiscrete([2, 3])])),
    "Discrete from -1": spaces.Discrete(3, start=-1),
}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_every_action_has_one_number(space: Any) -> None:
    numbering = Numbering(space)
    actions = [numbering.action(number) for number in range(numbering.count)]
    assert all(map(space.contains, actions))
    assert [numbering.number(action) for action in actions] == list(range(numbering.count))
    assert len(set(numbering.names.values())) == numbering.count
    space.seed(1)
    assert {numbering.number(space.sample()) for _ in range(40 * numbering.count)} == set(
        range(numbering.count)
    )


def some_mask(space: Any, draw: np.random.Generator) -> Any:
    """A random mask as `space.sample` takes it, which allows something."""
    if isinstance(space, spaces.Dict):
        return {key: some_mask(part, draw) for key, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(some_mask(part, draw) for part in space.spaces)
    if isinstance(space, spaces.MultiBinary):
        return draw.integers(0, 3, space.shape).astype(np.int8)
    if isinstance(space, spaces.Discrete):
        return flags(int(space.n), draw)

    def nested(sizes: Any) -> Any:
        return flags(int(sizes), draw) if np.ndim(sizes) == 0 else tuple(map(nested, sizes))

    return nested(space.nvec)


def flags(size: int, draw: np.random.Generator) -> Any:
    mask = draw.integers(0, 2, size).astype(np.int8)
    mask[draw.integers(size)] = 1
    return mask


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_a_mask_of_the_space_allows_what_it_samples(space: Any) -> None:
    numbering, draw = Numbering(space), np.random.default_rng(1)
    space.seed(1)
    for _ in range(10):
        mask = some_mask(space, draw)
        allowed = numbering.mask(mask)
        assert allowed is not None
        sampled = {numbering.number(space.sample(mask=mask)) for _ in range(30 * numbering.count)}
        assert sampled == set(np.flatnonzero(allowed))


def test_a_row_of_flags_for_all_parts_is_read_as_sb3_contrib_writes_it() -> None:
    allowed = Numbering(spaces.MultiDiscrete([2, 3])).mask([1, 0, 0, 1, 1])
    assert allowed is not None
    assert np.flatnonzero(allowed).tolist() == [1, 2]


class Locks(gymnasium.Env[Any, Any]):
    """Two wheels and two switches, and a prize for the setting that is shown; what is not allowed raises."""

    observation_space = spaces.Discrete(24)

    def __init__(self, masked: bool = False) -> None:
        self.action_space = spaces.Tuple([spaces.MultiDiscrete([2, 3]), spaces.MultiBinary(2)])
        self.masked = masked

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.left = 3
        return self.look()

    def look(self) -> Any:
        self.goal = int(self.np_random.integers(24))
        mask = (np.array([1, 1], np.int8), np.array([1, 1, 0], np.int8)), np.array([2, 1], np.int8)
        return self.goal, {"action_mask": mask} if self.masked else {}

    def step(self, action: Any) -> Any:
        assert self.action_space.contains(action), action
        if self.masked:
            assert action[0][1] != 2, "a wheel that is locked"
            assert action[1][1] == 1, "a switch that is locked"
        paid = float(Numbering(self.action_space).number(action) == self.goal)
        self.left -= 1
        return *(seen := self.look())[:1], paid, self.left == 0, False, seen[1]


def test_an_agent_acts_in_the_real_space_and_finds_what_pays() -> None:
    agent = EnvAgent("expss(depth=2,width=1,evaluator=zero)", Locks(), seed=1)
    assert agent.game.num_distinct_actions == 24
    assert agent.play(seed=1) == 3.0
    observation, info = agent.env.reset(seed=2)
    assert agent.env.action_space.contains(agent.act(info, observation))
    assert agent.game.action_names[5] == "([0, 1], [0, 1])"


def test_masks_of_the_real_space_hold() -> None:
    game: Any = load_game(Locks(masked=True))
    state = game.new_initial_state().sample(np.random.default_rng(1))
    names = [state.action_to_string(0, action) for action in state.legal_actions()]
    assert len(names) == 8
    assert "([1, 1], [0, 1])" in names
    EnvAgent("expss(depth=1,width=1,evaluator=zero)", Locks(masked=True), seed=1).play(seed=1)


def test_functions_of_the_user_see_the_environment_as_it_was_given() -> None:
    env = Locks()
    agent = EnvAgent("random", env, seed=1, mask=lambda locks: np.arange(24) == 7 + 0 * locks.left)
    env.reset(seed=1)
    assert Numbering(env.action_space).number(agent.act()) == 7


def test_more_actions_than_can_be_tried_are_refused() -> None:
    env = Locks()
    env.action_space = spaces.MultiBinary(20)  # type: ignore[assignment]
    with pytest.raises(StarspielError, match="1,048,576 actions"):
        load_game(env)


@pytest.mark.parametrize(
    ("space", "step"),
    [
        (spaces.Discrete(2, start=-1), r"step\(-1\)"),
        (spaces.Tuple([spaces.Discrete(1), spaces.Discrete(2, start=5)]), r"step\(\(0, 5\)\)"),
    ],
)
@pytest.mark.parametrize("reward", [float("nan"), ZeroDivisionError("z")])
def test_errors_name_the_action_that_the_environment_was_given(space: Any, step: str, reward: Any) -> None:
    class Faulty(gymnasium.Env[int, Any]):
        action_space = space
        observation_space = spaces.Discrete(1)

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
            super().reset(seed=seed)
            return 0, {}

        def step(self, action: Any) -> Any:
            if action in (-1, (0, 5)) and isinstance(reward, Exception):
                raise reward
            return 0, reward if action in (-1, (0, 5)) else 0.0, True, False, {}

    with pytest.raises(StarspielError, match=step):
        EnvAgent("uct(simulations=50)", Faulty(), seed=1).play(seed=1)


def test_hidden_state_is_shown_by_an_action_of_the_environment() -> None:
    class Hides(gymnasium.Env[int, int]):
        action_space = spaces.Discrete(1, start=-7)
        observation_space = spaces.Discrete(1)

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
            super().reset(seed=seed)
            self.card = int(self.np_random.integers(2))
            return 0, {}

        def step(self, action: int) -> Any:
            return 0, self.card + self.np_random.random() / 9, True, False, {}

    with pytest.raises(StarspielError, match="in step 1, by action -7: the reward"):
        load_game(Hides(), hidden="refuse")


def test_copies_that_allow_other_actions_are_told_by_those_of_the_environment() -> None:
    class Copied(gymnasium.Env[int, int]):
        action_space = spaces.Discrete(2, start=-7)
        observation_space = spaces.Discrete(1)
        copies = 0

        def __deepcopy__(self, memo: Any) -> Any:
            duplicate = Copied()
            duplicate.copies = self.copies + 1
            return duplicate

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
            super().reset(seed=seed)
            self.first = self.copies
            return 0, {}

        def step(self, action: int) -> Any:
            return 0, self.np_random.random(), False, False, {}

        def action_masks(self) -> list[int]:
            return [1, int(hasattr(self, "first"))]

    said = r"the actions \[\], the copy allows the actions \[-7\], and the original allows \[-7, -6\]"
    with pytest.raises(StarspielError, match=said):
        load_game(Copied())
