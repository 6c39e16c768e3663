"""A table is believed as far as steps do what it lists."""

import re
import warnings
from typing import Any

import gymnasium
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

from starspiel.envs.conformance import check_game
from starspiel.envs.errors import TableWarning
from starspiel.envs.gymnasium.budget import Budget
from starspiel.envs.gymnasium.game import load_gymnasium
from starspiel.envs.gymnasium.published_table import has_steps_as_published
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.gymnasium.table_steps import TableSteps


@pytest.fixture(autouse=True)
def _enough_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparisons end by what they have to do, so that a busy machine changes none."""
    compare = TableSteps.compare
    monkeypatch.setattr(TableSteps, "compare", lambda self, game, budget: compare(self, game, Budget(60.0)))


class Rotated(FrozenLakeEnv):
    def step(self, action: Any) -> Any:
        return super().step((action + 1) % 4)


class Costly(FrozenLakeEnv):
    def step(self, action: Any) -> Any:
        observation, reward, *rest = super().step(action)
        return observation, float(reward) - 0.01, *rest


class Locked(FrozenLakeEnv):
    """The goal pays nothing without the key, which `s` does not tell."""

    def reset(self, **given: Any) -> Any:
        self.has_key = False
        return super().reset(**given)

    def step(self, action: Any) -> Any:
        observation, reward, *rest = super().step(action)
        self.has_key |= observation == 3
        return observation, reward * self.has_key, *rest


class Melting(FrozenLakeEnv):
    """An episode ends after 25 steps."""

    def reset(self, **given: Any) -> Any:
        self.steps = 0
        return super().reset(**given)

    def step(self, action: Any) -> Any:
        observation, reward, terminated, *rest = super().step(action)
        self.steps += 1
        return observation, reward, terminated or self.steps >= 25, *rest


class Elsewhere(FrozenLakeEnv):
    def reset(self, **given: Any) -> Any:
        _, info = super().reset(**given)
        self.s = 4
        return self.s, info


class OneTrap(FrozenLakeEnv):
    """One action in one state does something else."""

    def step(self, action: Any) -> Any:
        return super().step(0 if (self.s, action) == (14, 2) else action)


class Loaded(gymnasium.Env[int, int]):
    """A table written by hand: a coin that falls as often as `chance` says, and not as `listed`."""

    action_space = gymnasium.spaces.Discrete(1)
    observation_space = gymnasium.spaces.Discrete(3)
    initial_state_distrib = (1.0, 0.0, 0.0)

    def __init__(self, listed: float, chance: float) -> None:
        self.chance = chance
        self.P = {0: {0: [(listed, 1, 1.0, True), (1 - listed, 0, 0.0, False)]}}

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.s = 0
        return 0, {}

    def step(self, action: int) -> Any:
        self.s = int(self.np_random.random() < self.chance)
        return self.s, float(self.s), bool(self.s), False, {}


@pytest.mark.parametrize(
    ("env", "words"),
    [
        (Rotated(), r"in state \d+, action \d, P lists \(state .* and a step gave \(state"),
        (Rotated(is_slippery=False), r"in state \d+, action \d, P lists"),
        (Costly(), r"and a step gave \(state \d+, reward -0.01\)"),
        (
            Locked(),
            r"\(state 15, reward 1, terminated\).* a step gave \(state 15, reward 0, terminated\)",
        ),
        (Melting(), r"a step gave \(state \d+, reward 0, terminated\)"),
        (Elsewhere(), "initial_state_distrib lists 0 as first states, and reset led to 4"),
        (OneTrap(), r"in state 14, action 2, P lists"),
        (Loaded(0.5, 0.6), r"lists \(state \d, .*\) with probability 0.5, and [\d,]+ of [\d,]+ steps"),
        (Loaded(0.01, 0.0), "with probability 0.01, and 0 of 4,"),
    ],
)
def test_what_steps_contradict_is_found(env: Any, words: str) -> None:
    game = TableGame(env.P, env.initial_state_distrib, name="it")
    assert re.search(words, str(TableSteps(env).compare(game, Budget(60.0)).contradiction))


@pytest.mark.parametrize("make", [Rotated, lambda: gymnasium.make("Taxi-v4", fickle_passenger=True)])
def test_a_table_that_steps_contradict_is_sampled_instead(make: Any) -> None:
    with pytest.warns(TableWarning, match=r"is not what its steps do: in state \d+, action \d, P lists"):
        game = load_gymnasium(make())
    assert isinstance(game, SampledGame)
    assert "its table is not what its steps do: in state" in game.source


def test_a_right_table_is_believed_and_says_what_was_tried() -> None:
    """CliffWalking goes on where an episode has ended, and its table lists that too."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        game = load_gymnasium(gymnasium.make("CliffWalking-v1"))
        assert game.source == (
            "table: env.unwrapped.P (148 of 148 actions in reachable states compared with step)"
        )
        assert isinstance(load_gymnasium(Loaded(0.25, 0.25)), TableGame)


def test_right_shares_are_seldom_found_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty comparisons of a table that is right, each with other dice."""
    monkeypatch.setattr("starspiel.envs.gymnasium.table_steps._ROUNDS", ((1000, 1.0),) * 20)
    assert isinstance(load_gymnasium(Loaded(0.3, 0.3)), TableGame)


def test_overriding_steps_that_cannot_be_tried_are_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Quiet(FrozenLakeEnv):
        def __deepcopy__(self, memo: Any) -> Any:
            raise TypeError("not this one")

    game = load_gymnasium(Quiet())
    assert "not compared with step: the environment cannot be cloned" in game.source

    class Loud(Quiet):
        def step(self, action: Any) -> Any:
            return super().step(action)

    assert has_steps_as_published(Quiet())
    assert not has_steps_as_published(Loud())
    with pytest.raises(ValueError, match="cannot be cloned"):  # which samples would need
        load_gymnasium(Loud())


def test_the_check_holds_a_table_against_steps_for_longer() -> None:
    env = gymnasium.make("FrozenLake-v1")
    game = load_gymnasium(env)
    report = check_game(game, games=3, positions=10, seconds=10)
    assert report.ok
    assert "table and steps agree: 44 of 44 actions" in str(report)
    env.unwrapped.__class__ = Rotated
    assert "table and steps agree" in check_game(game, games=3, positions=10, seconds=10).failed


def test_an_episode_that_step_truncates_is_not_the_tables() -> None:
    """A clock of the class's own: by the table alone, the far goal could be reached."""

    class Hurried(FrozenLakeEnv):
        def reset(self, **given: Any) -> Any:
            self.taken = 0
            return super().reset(**given)

        def step(self, action: Any) -> Any:
            self.taken += 1
            observation, reward, terminated, _, info = super().step(action)
            return observation, reward, terminated, self.taken >= 4, info

    with pytest.warns(TableWarning, match="truncated the episode, though no TimeLimit was up"):
        game = load_gymnasium(Hurried(is_slippery=False))
    assert not game.explicit_chance


def test_a_table_is_tried_though_there_is_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starspiel.envs.gymnasium.table_steps.Budget.spent", lambda self: True)
    with pytest.warns(TableWarning, match="in state 0, action .* a step gave"):
        assert isinstance(load_gymnasium(Costly()), SampledGame)
    assert "(0 of" not in load_gymnasium("FrozenLake-v1").source
