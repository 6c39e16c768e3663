"""Clones are reseeded wherever a walk through everything finds a generator, and share none."""

import random
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.gymnasium.sampled import clone as module
from starspiel.envs.gymnasium.sampled.clone import advance, clone
from starspiel.envs.gymnasium.sampled.generators import GENERATORS, Reach
from starspiel.envs.gymnasium.sampled.global_dice import lent

pytestmark = pytest.mark.usefixtures("quick_looks")

FACES = 1_000_000


class Thrower(gymnasium.Env[int, int]):
    """Throws one die a step; `throw` says which."""

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(FACES)
        self.time = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.time = 0
        return 0, {}

    def throw(self) -> int:
        return int(self.np_random.integers(FACES))

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.time += 1
        return self.throw(), 0.0, False, False, {}


class Many(Thrower):
    """Generators of every kind, in attributes, containers and functions."""

    def __init__(self) -> None:
        super().__init__()
        self.held: Any = {
            "deep": [np.random.default_rng(1), (random.Random(2), {3: np.random.RandomState(3)})],
            "bits": np.random.SFC64(4),
            "seeds": np.random.SeedSequence(5),
        }
        self.same = self.held["deep"][0]
        self.array = np.array([random.Random(6), None], dtype=object)
        self.of_it = random.Random(7)
        self.roll = self.of_it.randint

    def throw(self) -> int:
        deep, bits = self.held["deep"], self.held["bits"]
        return sum(
            (
                int(deep[0].integers(FACES)),
                deep[1][0].randrange(FACES),
                int(deep[1][1][3].randint(FACES)),
                bits.random_raw() % FACES,
                int(np.random.default_rng(self.held["seeds"].spawn(1)[0]).integers(FACES)),
                int(self.same.integers(FACES)),
                self.array[0].randrange(FACES),
                self.roll(0, FACES),
                super().throw(),
            )
        )


class LazyAttribute(Thrower):
    """A generator that is made in the third step."""

    def throw(self) -> int:
        if self.time == 3:
            self.own = random.Random(int(self.np_random.integers(FACES)))
        return self.own.randrange(FACES) if self.time >= 3 else super().throw()


class LazySpace(Thrower):
    """Draws from a space that had no generator, from the second step on."""

    def throw(self) -> int:
        return int(self.observation_space.sample()) if self.time >= 2 else super().throw()


class ClassSpaces(gymnasium.Env[int, int]):
    action_space = spaces.Discrete(2)
    observation_space = spaces.Discrete(FACES)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return int(self.observation_space.sample()), 0.0, False, False, {}


class SpacesByProperty(ClassSpaces):
    """Spaces that cannot be set, kept in another attribute."""

    def __init__(self) -> None:
        self.held = spaces.Discrete(FACES)

    @property
    def action_space(self) -> Any:  # type: ignore[override]
        return spaces.Discrete(2)

    @property
    def observation_space(self) -> Any:  # type: ignore[override]
        return self.held


MAKERS = [
    Thrower,
    SpacesByProperty,
    Many,
    LazyAttribute,
    LazySpace,
    ClassSpaces,
    lambda: gymnasium.wrappers.TransformReward(Many(), float),
    lambda: gymnasium.make("Blackjack-v1"),
    lambda: gymnasium.make("FrozenLake-v1"),
    lambda: gymnasium.make("CartPole-v1"),
    lambda: gymnasium.make("Taxi-v4", fickle_passenger=True),
]


def generators(env: Any) -> dict[str, Any]:
    """The state of every generator that a walk through everything reaches, by path."""
    states = {}
    reach = Reach(env, "env", without=[env.unwrapped.spec, getattr(env.unwrapped, "P", None)])
    for held in reach:
        if isinstance(held, np.random.BitGenerator):
            states[reach.path(held)] = str(held.state)
        elif isinstance(held, np.random.SeedSequence):
            states[reach.path(held)] = str(held)
        elif isinstance(held, random.Random):
            states[reach.path(held)] = str(held.getstate())
    return states


@pytest.mark.parametrize("make", MAKERS)
def test_a_walk_through_everything_finds_every_generator_seeded_anew(make: Any) -> None:
    """The oracle: `Reach`, which no plan has a part in."""
    env = make()
    env.reset(seed=1)
    for step in range(6):
        before = generators(env)
        one, again, other = (generators(clone(env, seed, "env")) for seed in (step, step, step + 1))
        assert one == again
        assert one.keys() == other.keys()
        assert len(one) >= len(before)
        for path, state in one.items():
            assert state != other[path], f"{path} does not depend on the seed"
            assert state != before.get(path), f"{path} is as in the environment"
        assert generators(env) == before
        if env.step(1)[2]:
            env.reset(seed=step)


@pytest.mark.parametrize("make", MAKERS)
def test_no_generator_is_shared_and_a_seed_repeats_a_step(make: Any) -> None:
    env = make()
    env.reset(seed=1)
    for step in range(6):
        one, again = (advance(env, 1, step, "env") for _ in range(2))
        assert str(one.observation) == str(again.observation)
        held = {id(part) for part in Reach(env, "env") if isinstance(part, GENERATORS)}
        assert not [part for part in Reach(one.env, "env") if id(part) in held]
        env = one.env if not one.over else advance(env, None, step, "env").env


@pytest.mark.parametrize("make", [LazySpace, ClassSpaces, LazyAttribute, Many])
def test_what_was_learnt_on_the_way_changes_no_sample(make: Any) -> None:
    """The first search of an environment that draws from its spaces finds what later ones find."""

    def line() -> list[Any]:
        at = advance(make(), None, 1, "env")
        seen = []
        for seed in range(5):
            at = advance(at.env, 1, seed, "env")
            seen.append(at.observation)
        return seen

    module._DRAWS_FROM_SPACES.clear()
    first = line()
    assert line() == first
    assert len(set(first)) == 5


# The generators of `random` and `numpy.random`.


def test_the_global_generators_are_put_back_with_the_deviates_they_keep() -> None:
    def drawn(lend: bool) -> list[float]:
        random.seed(1)
        np.random.seed(2)
        values = [random.gauss(), float(np.random.normal())]  # both keep a second deviate for later
        if lend:
            with lent(3):
                values.append(random.gauss() + float(np.random.normal(size=1001).sum()))
                values.pop()
        return [*values, random.gauss(), float(np.random.normal()), random.random(), float(np.random.rand())]

    assert drawn(True) == drawn(False)


def test_a_loan_is_decided_by_its_seed() -> None:
    def drawn(seed: int) -> tuple[float, float, float]:
        with lent(seed):
            return random.random(), random.gauss(), float(np.random.normal())

    np.random.normal()
    assert drawn(5) == drawn(5) != drawn(6)


def test_another_global_bit_generator_is_put_back_too() -> None:
    usual = np.random.get_bit_generator()
    state = np.random.get_state()
    try:
        np.random.set_bit_generator(np.random.PCG64(1))
        before = str(np.random.get_state(legacy=False))
        try:
            with lent(3):
                np.random.rand()
        except TypeError:  # numpy cannot seed what is no Mersenne Twister
            pass
        assert str(np.random.get_state(legacy=False)) == before
    finally:
        np.random.set_bit_generator(usual)
        np.random.set_state(state)


class Locked(Thrower):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__()
        self.render_mode = render_mode
        self.lock = threading.Lock()


def test_what_cannot_be_copied_is_told_what_to_do_about_it() -> None:
    with pytest.raises(
        UnsupportedGameError, match=r"object \(attribute 'lock' of Locked\)\. Keep locks, threads"
    ):
        clone(Locked(), 1, "it")
    with pytest.raises(UnsupportedGameError, match=r"\. Make it with render_mode=None, or give it a"):
        clone(Locked(render_mode="human"), 1, "it")
