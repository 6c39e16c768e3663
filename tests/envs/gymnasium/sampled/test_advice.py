"""What the errors of sampled environments advise is done, and the environment then loads and is played."""

import copy
import re
import threading
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils import EzPickle

from starspiel import EnvAgent
from starspiel.envs.environments.dice_game import DiceGameEnv
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.cloning.clone import advance
from starspiel.envs.gymnasium.game import load_gymnasium


class Race(gymnasium.Env[int, int]):
    """Roll up to a total of ten or stop, which pays the total; the total is kept by `self.engine`."""

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(20)
        self.engine: Any = Engine()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.engine.load(0)
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        if action:
            self.engine.load(self.engine.save() + int(self.np_random.integers(1, 7)))
        total = self.engine.save()
        paid = float(total) if not action and total <= 10 else 0.0
        return total, paid, not action or total > 10, False, {}


class Engine:
    """A simulator that can be saved and restored, and not copied."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.total = 0

    def save(self) -> int:
        return self.total

    def load(self, total: int) -> None:
        self.total = total


def another(race: Any) -> Any:
    """A Race in the same situation."""
    duplicate = type(race)()
    duplicate.engine.load(race.engine.save())
    return duplicate


class CopiesItself(Race):
    def __deepcopy__(self, memo: Any) -> Any:
        return another(self)


class Made(Race, EzPickle):
    """As those of ALE and Box2D: copy.deepcopy makes another of it, which has not been reset."""

    def __init__(self) -> None:
        Race.__init__(self)
        EzPickle.__init__(self)


class MadeAndSaved(Made):
    """What pickle and copy.deepcopy ask for."""

    def __getstate__(self) -> Any:
        return self.engine.save()

    def __setstate__(self, total: Any) -> None:
        MadeAndSaved.__init__(self)
        self.engine.load(total)


class Around(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A wrapper that says how all that is in it is copied."""

    def __deepcopy__(self, memo: Any) -> Any:
        return Around(another(self.env))


CURED: list[tuple[Callable[[], Any], dict[str, Any]]] = [
    (CopiesItself, {}),
    (MadeAndSaved, {}),
    (lambda: gymnasium.wrappers.TimeLimit(Around(Race()), 20), {}),
    (Made, {"clone": another}),
]


@pytest.mark.parametrize("make", [Race, lambda: gymnasium.wrappers.TimeLimit(Made(), 20)])
def test_what_cannot_be_copied_says_what_to_do(make: Callable[[], Any]) -> None:
    advice = (
        r"lock' object \(attribute 'engine' of (Race|Made)\)\. .* give it a __deepcopy__, .* clone=function"
    )
    with pytest.raises(UnsupportedGameError, match=advice):
        load_gymnasium(make())


def test_what_shows_itself_is_made_without() -> None:
    env = Race()
    env.render_mode = "human"
    with pytest.raises(UnsupportedGameError, match=r"\. Make it with render_mode=None, or give it a"):
        load_gymnasium(env)


@pytest.mark.parametrize(("make", "options"), CURED)
def test_and_what_it_says_is_played(make: Callable[[], Any], options: dict[str, Any]) -> None:
    env = make()
    game: Any = load_gymnasium(env, **options)
    env.reset(seed=1)
    env.unwrapped.engine.load(4)
    inside = game.adopted(env)
    seen = [advance(inside, 1, seed, "it").observation for seed in range(30)]
    assert {5, 6, 7, 8, 9, 10} == set(seen), "every throw from where it stands"
    assert advance(inside, 1, 3, "it").observation == seen[3], "the seed decides"
    agent = EnvAgent("uct(simulations=100)", env, seed=1, **options)
    _, info = env.reset(seed=1)
    env.unwrapped.engine.load(4)
    assert agent.act(info) == 1
    assert env.unwrapped.engine.save() == 4
    env.unwrapped.engine.load(9)
    assert agent.act(info) == 0


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda env: env, "clone= must return another environment like the one it is given"),
        (lambda env: env.nothing, r"clone= raised AttributeError: .* may not have been reset yet"),
        (lambda env: None, "clone= must return another environment like the one it is given, got None"),
        (copy.copy, "its copies share its Generator, so a search would change the real dice"),
        (3, "clone must be a function that copies the environment, got 3"),
    ],
)
def test_functions_that_copy_nothing(function: Any, said: str) -> None:
    env = Race()
    env.reset(seed=1)
    with pytest.raises(StarspielError, match=said):
        load_gymnasium(env, clone=function)


def test_clone_is_for_sampled_games() -> None:
    with pytest.raises(StarspielError, match="has a table, so that nothing is cloned; leave clone out"):
        load_gymnasium(gymnasium.make("FrozenLake-v1"), clone=another)


class Told(gymnasium.Env[int, int]):
    """The next die lies on the table, and only `info` shows it: take it, or leave it for one point."""

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(9)

    def throw(self) -> dict[str, Any]:
        self.die = int(self.np_random.integers(-6, 7))
        return {"die": self.die}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.time = 0
        return 0, self.throw()

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.time += 1
        reward = float(self.die) if action else 0.0
        return self.time, reward, self.time == 8, False, self.throw()


@pytest.mark.usefixtures("long_looks")
def test_dice_that_info_shows_are_for_the_agent_to_see() -> None:
    with pytest.raises(UnsupportedGameError, match=r"hidden='seen' if the agent may know .* as when info"):
        load_gymnasium(Told())
    agent = EnvAgent("expss(depth=2,width=1,evaluator=zero)", Told(), seed=1, hidden="seen")
    for seed in range(3):
        env = Told()
        env.reset(seed=seed)
        best = max(env.die, 0)
        for _ in range(7):
            env.step(0)
            best += max(env.die, 0)
        assert agent.play(seed=seed) == best


@pytest.mark.usefixtures("long_looks")
def test_dice_that_nothing_shows_are_for_redrawing() -> None:
    class Untold(Told):
        def throw(self) -> dict[str, Any]:
            super().throw()
            return {}

    with pytest.raises(UnsupportedGameError, match="and else with hidden='redraw'"):
        load_gymnasium(Untold())
    agent = EnvAgent("expss(depth=2,width=4,evaluator=zero)", Untold(), seed=1, hidden="redraw")
    assert np.isfinite(agent.play(seed=1))


# Advice that is not about dice.


def test_self_play_in_a_wrapper_is_two_players_as_its_error_says() -> None:
    env = gymnasium.wrappers.TransformReward(DiceGameEnv("star_pig(goal=20)"), float)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedGameError, match="declare players=2") as refused:
        load_gymnasium(env)
    declared = dict(re.findall(r"(to_play|reward)='(\w+)'", str(refused.value)))
    agent = EnvAgent("uct(simulations=20)", env, seed=1, players=2, **declared)
    assert agent.play(seed=1) in (-1.0, 1.0)


@pytest.mark.usefixtures("long_looks")
def test_delayed_observations_are_played_both_ways() -> None:
    class Die(Told):
        def throw(self) -> dict[str, Any]:
            return {}

        def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
            self.time += 1
            return int(self.np_random.integers(6)), 0.0, self.time == 6, False, {}

    late = gymnasium.wrappers.DelayObservation(Die(), 2)
    with pytest.raises(UnsupportedGameError, match="observations shown late") as refused:
        load_gymnasium(late)
    for way in re.findall(r"hidden='(\w+)'", str(refused.value)):
        assert EnvAgent("expss(depth=2,width=2)", late, seed=1, hidden=way).play(seed=1) == 0.0
