"""Clones are copies in the same situation, whoever copies them, and random play on them is fair."""

import copy
import functools
import random
import threading
import weakref
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces, wrappers
from support.farkle import Farkle

from starspiel import EnvAgent
from starspiel.envs.base import SelfPlayingState, conforms
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.cloning.clone import advance, clone
from starspiel.envs.gymnasium.cloning.dice import generators, lent
from starspiel.envs.gymnasium.game import load_gymnasium, state_of


class Sum(gymnasium.Env[Any, Any]):
    """Adds up, with a die or without, for eight steps."""

    def __init__(self, die: bool = False, masked: bool = False) -> None:
        self.action_space: Any = spaces.Discrete(3)
        self.observation_space: Any = spaces.Discrete(200)
        self.die, self.masked, self.total, self.time = die, masked, 0, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.total = self.time = 0
        return 0, {}

    def throw(self) -> int:
        return int(self.np_random.integers(6))

    def step(self, action: int) -> Any:
        self.total += action + 1 + (self.throw() if self.die else 0)
        self.time += 1
        return self.total, float(self.total), self.time == 8, False, {}

    def action_masks(self) -> list[int]:
        return [1, 1, int(not self.masked or self.total < 3)]


class GlobalSum(Sum):
    def throw(self) -> int:
        return random.randrange(6) + np.random.randint(6)


class ManyDice(Sum):
    """Generators of every kind, in attributes and containers."""

    def __init__(self) -> None:
        super().__init__(die=True)
        self.held: Any = {
            "deep": [np.random.default_rng(1), (random.Random(2), {3: np.random.RandomState(3)})],
            "bits": np.random.SFC64(4),
            "seeds": np.random.SeedSequence(5),
            "array": np.array([random.Random(6), None], dtype=object),
        }

    def throw(self) -> int:
        deep, bits = self.held["deep"], self.held["bits"]
        numbers = (
            deep[0].integers(10**6),
            deep[1][0].randrange(10**6),
            deep[1][1][3].randint(10**6),
            bits.random_raw() % 10**6,
            np.random.default_rng(self.held["seeds"].spawn(1)[0]).integers(10**6),
            self.held["array"][0].randrange(10**6),
        )
        return sum(map(int, numbers))


MAKERS: list[Any] = [
    lambda: Sum(die=True),
    ManyDice,
    lambda: wrappers.TransformReward(ManyDice(), float),
    lambda: gymnasium.make("Blackjack-v1"),
    lambda: gymnasium.make("CartPole-v1"),
    lambda: gymnasium.make("Taxi-v4", fickle_passenger=True),
]


def states_of(env: Any) -> list[str]:
    """What every generator of an environment is going to throw."""
    texts = []
    for held in generators(env):
        if not isinstance(held, np.random.Generator):  # whose bit generator is another of them
            state = getattr(held, "getstate", None) or getattr(held, "get_state", None)
            texts.append(str(state() if state else getattr(held, "state", held)))
    return texts


@pytest.mark.parametrize("make", MAKERS)
def test_every_generator_of_a_clone_follows_from_the_seed_and_none_is_shared(make: Any) -> None:
    env = make()
    env.reset(seed=1)
    for step in range(4):
        before = states_of(env)
        one, again, other = (clone(env, seed, "env") for seed in (step, step, step + 1))
        assert states_of(one) == states_of(again)
        assert not [a for a, b in zip(states_of(one), states_of(other), strict=True) if a == b]
        assert not {id(held) for held in generators(env)} & {id(held) for held in generators(one)}
        assert states_of(env) == before
        after, repeated = (advance(env, 1, step, "env") for _ in range(2))
        assert str(after.observation) == str(repeated.observation)
        if env.step(1)[2]:
            env.reset(seed=step)


def test_the_global_generators_are_put_back_with_the_deviates_they_keep() -> None:
    def drawn(seed: int | None) -> list[float]:
        random.seed(1)
        np.random.seed(2)
        values = [random.gauss(), float(np.random.normal())]  # both keep a second deviate for later
        if seed is not None:
            with lent(seed):
                lended.append(random.gauss() + float(np.random.normal(size=1001).sum()))
        return [*values, random.gauss(), float(np.random.normal()), random.random(), float(np.random.rand())]

    lended: list[float] = []
    assert drawn(3) == drawn(None) == drawn(3) == drawn(4)
    assert lended[0] == lended[1] != lended[2]


# Copies.


@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.FlattenObservation,
        lambda env: wrappers.DtypeObservation(env, np.int32),
        lambda env: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 9)),
        lambda env: wrappers.TransformReward(env, lambda reward: reward + env.total),
    ],
)
def test_wrappers_with_functions_are_played_and_leave_the_dice_alone(wrap: Any) -> None:
    env, alone = wrap(Sum(die=True)), wrap(Sum(die=True))
    agent = EnvAgent("expss(depth=1,evaluator=rollout(n=2))", env, seed=1)
    env.reset(seed=7)
    alone.reset(seed=7)
    for _ in range(3):
        action = agent.act({})
        after, again = env.step(action), alone.step(action)
        assert str(after) == str(again)


def test_a_function_of_a_clone_sees_the_clone() -> None:
    inside, calls = Sum(die=True), [0]

    def count(reward: float) -> float:
        calls[0] += 1
        return inside.total + 1000.0 * calls[0]

    env = wrappers.TransformReward(inside, count)  # type: ignore[arg-type]
    env.reset(seed=1)
    for seed in range(3):
        after = advance(env, 1, seed, "env")
        assert after.reward == 1000 + after.env.unwrapped.total > 1000  # type: ignore[attr-defined]
    assert (inside.total, calls) == (0, [0])


class Odds(Sum):
    """With attributes that copy.deepcopy refuses or leaves as they are."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        result = super().reset(seed=seed)
        pot = 0

        def add(more: int) -> None:
            nonlocal pot
            pot += more

        self.add, self.pot, self.more = add, lambda: pot, lambda: self.total
        self.lock, self.numpy = threading.RLock(), np
        return result

    def step(self, action: int) -> Any:
        with self.lock:
            self.add(action + 1)
            self.total += int(self.numpy.int64(action)) + 1
        return self.pot() + self.more(), 0.0, False, False, {}


def test_clones_have_functions_of_their_own_that_share_what_they_shared() -> None:
    env = Odds()
    env.reset(seed=1)
    after = advance(advance(env, 2, 1, "env").env, 1, 2, "env")
    assert after.observation == 10
    assert env.step(0)[0] == 2
    assert advance(after.env, 0, 3, "env").observation == 12


def faithful(env: Sum) -> Sum:
    duplicate = Sum(env.die, env.masked)
    duplicate.total, duplicate.time = env.total, env.time
    return duplicate


def fresh(env: Sum) -> Sum:
    return Sum(env.die, env.masked)


def reset(env: Sum) -> Sum:
    duplicate = faithful(env)
    duplicate.reset(seed=1)
    return duplicate


def half(env: Sum) -> Sum:
    """Forgets the time: only the end differs."""
    duplicate = faithful(env)
    duplicate.time = 0
    return duplicate


NONE: Any = object()


class Part:
    """Holds something by which it reaches its environment."""

    def __init__(self, held: Any) -> None:
        self.held = held


def tells(env: Any, held: Any) -> None:
    env.part = Part(held)


#: What an environment holds from its beginning, and how it then adds what was thrown.
LEADING: dict[str, tuple[Callable[[Any], Any], Callable[[Any, int], Any]]] = {
    "a function in a list": (
        lambda env: tells(env, [lambda more: env.add(more)]),
        lambda env, more: env.part.held[0](more),
    ),
    "a default": (
        lambda env: tells(env, lambda more, to=env: to.add(more)),
        lambda env, more: env.part.held(more),
    ),
    "a weak reference": (
        lambda env: tells(env, weakref.ref(env)),
        lambda env, more: env.part.held().add(more),
    ),
    "a weak proxy": (lambda env: tells(env, weakref.proxy(env)), lambda env, more: env.part.held.add(more)),
}


@pytest.mark.parametrize("when", ["__init__", "reset"])
@pytest.mark.parametrize("way", LEADING)
def test_what_leads_a_copy_to_the_environment_is_refused(way: str, when: str) -> None:
    begin, throw = LEADING[way]

    class Leading(Sum):
        def __init__(self) -> None:
            super().__init__(die=True)
            if when == "__init__":
                begin(self)

        def reset(self, **given: Any) -> Any:
            result = super().reset(**given)
            if when == "reset":
                begin(self)
            return result

        def add(self, more: int) -> None:
            self.total += more

        def step(self, action: int) -> Any:
            throw(self, self.throw())
            return super().step(action)

    env = Leading()
    env.reset(seed=1)
    with pytest.raises(UnsupportedGameError, match=r"attribute 'part' of Leading (leads to|holds a weakref)"):
        load_gymnasium(env)
    assert env.total == 0


def test_objects_that_are_compared_by_identity_are_refused() -> None:
    class Waiting(Sum):
        def reset(self, **given: Any) -> Any:
            self.guess: Any = NONE
            return super().reset(**given)

        def step(self, action: int) -> Any:
            self.total += 100 * (self.guess is NONE)
            return super().step(action)

    with pytest.raises(UnsupportedGameError, match=r"copy\.deepcopy returns is not in its situation"):
        load_gymnasium(Waiting())


GOAL: Any = Part("goal")


@pytest.mark.parametrize("held", [lambda: [Part("floor"), GOAL], lambda: {1: GOAL}])
def test_objects_of_a_module_that_are_held_from_the_beginning_are_not_taken_for_copies(
    held: Callable[[], Any],
) -> None:
    class Grid(Sum):
        def __init__(self) -> None:
            super().__init__(die=True)
            self.tiles = held()

        def step(self, action: int) -> Any:
            self.total += 100 * (self.tiles[1] is GOAL)
            return super().step(action)

    with pytest.raises(UnsupportedGameError, match="copies that share the objects of its modules go on diff"):
        load_gymnasium(Grid())


HANDS: Any = [Part(["ace"]), Part(random.Random(3))]


def test_objects_of_a_module_that_steps_change_are_left_as_they_are() -> None:
    class Table(Sum):
        def __init__(self) -> None:
            super().__init__()
            self.hand, self.dice = HANDS

        def step(self, action: int) -> Any:
            self.hand.held.append(self.dice.held.randrange(6))
            return super().step(action)

    before = HANDS[1].held.getstate()
    load_gymnasium(Table())
    assert (HANDS[0].held, HANDS[1].held.getstate()) == (["ace"], before)


def test_cached_methods_of_copies_that_copy_themselves_are_their_own() -> None:
    class Caching(Sum):
        @functools.cache  # noqa: B019
        def worth(self) -> int:
            return self.time

        def __deepcopy__(self, memo: Any) -> Any:
            duplicate = object.__new__(type(self))
            vars(duplicate).update(vars(self), _np_random=copy.deepcopy(self._np_random, memo))
            return duplicate

    env = Caching()
    env.reset(seed=1)
    after = advance(advance(env, 0, 1, "env").env, 0, 2, "env")
    assert after.env.unwrapped.worth() == 2  # type: ignore[attr-defined]


def test_players_that_are_compared_by_identity_are_refused() -> None:
    white, black = Part("white"), Part("black")

    class Turns(Sum):
        def reset(self, **given: Any) -> Any:
            self.player = white
            return super().reset(**given)

        def step(self, action: int) -> Any:
            self.player = black if self.player is white else white
            return super().step(action)

    with pytest.raises(UnsupportedGameError, match=r"differed in step\(\d\): the player to move"):
        load_gymnasium(Turns(), players=2, to_play=lambda env: int(env.player is black), hidden="seen")


def test_generators_that_copies_are_given_anew_are_seeded() -> None:
    class Restored(Sum):
        def __init__(self) -> None:
            super().__init__(die=True)
            self.rng = np.random.default_rng(1)

        def throw(self) -> int:
            return int(self.rng.integers(6))

        def __getstate__(self) -> Any:
            return {key: held for key, held in vars(self).items() if key != "rng"}

        def __setstate__(self, state: Any) -> None:
            vars(self).update(state)
            self.rng = np.random.default_rng(0)

    env = Restored()
    env.reset(seed=1)
    assert len({advance(env, 0, seed, "env").observation for seed in range(30)}) == 6


def test_methods_that_cache_without_a_limit_keep_no_copies() -> None:
    class Caching(Sum):
        @functools.cache  # noqa: B019
        def worth(self, action: int) -> int:
            return self.time + action

        def step(self, action: int) -> Any:
            self.total += self.worth(action)
            return super().step(action)

    env = Caching(die=True)
    agent = EnvAgent("star2ss(depth=2,width=2)", env, seed=1)
    env.reset(seed=1)
    agent.act()
    after = advance(advance(advance(env, 2, 1, "env").env, 1, 2, "env").env, 1, 3, "env")
    assert Caching.worth.cache_info().currsize == 0
    assert after.env.unwrapped.worth(3) == 6  # type: ignore[attr-defined]


class CopiedFresh(Sum):
    def __deepcopy__(self, memo: Any) -> Any:
        return CopiedFresh(self.die, self.masked)


OTHERS = r"is not in the situation .* after reset"


@pytest.mark.parametrize("die", [False, True])
@pytest.mark.parametrize("function", [fresh, reset, half])
def test_a_copy_in_another_situation_is_refused(function: Any, die: bool) -> None:
    for masked in (False, True):
        env = wrappers.TimeLimit(Sum(die, masked), 50)
        with pytest.raises(UnsupportedGameError, match=OTHERS):
            load_gymnasium(env, clone=function)
    if not die:
        with pytest.raises(UnsupportedGameError, match=OTHERS):
            load_gymnasium(Sum(), clone=function, own_dice=True)


@pytest.mark.parametrize("die", [False, True])
def test_one_environment_for_all_is_refused(die: bool) -> None:
    stored = Sum(die)
    stored.reset(seed=1)
    with pytest.raises(UnsupportedGameError, match="clone= must return another environment"):
        load_gymnasium(Sum(die), clone=lambda env: stored)
    with pytest.raises(UnsupportedGameError, match=OTHERS):
        load_gymnasium(Sum(die), clone=lambda env: copy.deepcopy(stored))
    with pytest.raises(UnsupportedGameError, match=OTHERS):
        load_gymnasium(CopiedFresh(die))


@pytest.mark.parametrize("die", [False, True])
def test_a_copy_in_the_same_situation_is_played(die: bool) -> None:
    for function in (faithful, copy.deepcopy):
        env = wrappers.TimeLimit(Sum(die, masked=die), 50)
        assert EnvAgent("uct(simulations=20)", env, seed=1, clone=function).play(seed=1) >= 0


def test_a_copy_of_the_real_environment_with_other_legal_actions_is_refused() -> None:
    def chosen(env: Sum) -> Sum:
        return reset(env) if hasattr(env, "real") else faithful(env)

    env = Sum(masked=True)
    agent = EnvAgent("uct(simulations=20)", env, seed=1, clone=chosen)
    env.reset(seed=1)
    observation, *_, info = env.step(2)
    agent.act(info, observation)
    env.real = True  # type: ignore[attr-defined]
    with pytest.raises(StarspielError, match="allows the actions"):
        agent.act(info, observation)


# Random play on one clone.


def begun(env: Any) -> Any:
    game = load_gymnasium(env)
    _, info = env.reset(seed=1)
    return state_of(env, game, info)


def test_random_play_takes_so_many_actions_and_no_more() -> None:
    state = begun(Sum(die=True))
    rng = np.random.default_rng(1)
    for start, more in ((state, 0), (state.child(1), 1), (state.get_game().new_initial_state(), 0)):
        assert conforms(start, SelfPlayingState)
        for actions in (1, 7, 8, 500):
            end = start.play_on(rng, actions)
            assert end.env.unwrapped.time == min(actions + more, 8)
            assert end.is_terminal() == (end.env.unwrapped.time == 8)
    assert state.env.unwrapped.time == 0, "the state itself stays as it is"
    game: Any = load_gymnasium(Sum(), horizon=5)
    assert game.new_initial_state().play_on(rng, 100).env.unwrapped.time == 5


@pytest.mark.parametrize("make", [lambda: Sum(die=True), lambda: GlobalSum(die=True), Farkle])
def test_random_play_follows_from_its_seed_and_leaves_all_dice_as_they_are(make: Any) -> None:
    env = make()
    state = begun(env)
    before = (random.getstate(), repr(np.random.get_state()), env.np_random.bit_generator.state)
    found = [state.play_on(np.random.default_rng(seed), 100).returns() for seed in (1, 2, 3, 4, 1)]
    state.child(0).play_on(np.random.default_rng(1), 100)
    assert before == (random.getstate(), repr(np.random.get_state()), env.np_random.bit_generator.state)
    assert found[0] == found[4]
    assert len(set(map(tuple, found))) > 1


# Errors of steps.


@pytest.mark.parametrize("wrap", [lambda env: env, lambda env: wrappers.TimeLimit(env, 9)])
def test_an_error_of_step_says_what_was_done_and_what_to_do(wrap: Any) -> None:
    class Faulty(Sum):
        def step(self, action: int) -> Any:
            if self.time == 2 and action == 1:
                raise ZeroDivisionError("z")
            return super().step(action)

    said = r'step\(1\) raised ZeroDivisionError: z\. Fix step or, .* a 0 in info\["action_mask"\]'
    with pytest.raises(StarspielError, match=said):
        EnvAgent("uct(simulations=50)", wrap(Faulty()), seed=1).play(seed=1)


def test_a_step_for_numbers_of_numpy_is_told_what_it_gets() -> None:
    class Scalar(Sum):
        def step(self, action: Any) -> Any:
            return super().step(action.item())

    class Advised(Scalar):
        def step(self, action: int) -> Any:
            return super().step(np.int64(action))

    with pytest.raises(StarspielError, match=r"begin step with action = np\.int64\(action\)$"):
        EnvAgent("uct(simulations=50)", Scalar(), seed=1).play(seed=1)
    assert EnvAgent("uct(simulations=50)", Advised(), seed=1).play(seed=1)


def test_another_global_bit_generator_is_put_back_too() -> None:
    usual, state = np.random.get_bit_generator(), np.random.get_state()
    try:
        np.random.set_bit_generator(np.random.PCG64(1))
        before = str(np.random.get_state(legacy=False))
        with lent(3):
            np.random.rand()
        assert str(np.random.get_state(legacy=False)) == before
    finally:
        np.random.set_bit_generator(usual)
        np.random.set_state(state)
