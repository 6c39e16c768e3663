"""No search on clones of an environment foresees its dice or changes them, wherever they come from."""

import copy
import functools
import io
import itertools
import os
import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel import EnvAgent
from starspiel.envs.conformance import check_game
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.gymnasium.sampled.foresight import Foresight, chance_of_agreement, foreseen
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.sampled.situations import Budget
from starspiel.envs.gymnasium.sampled.visible import View

FACES = 1_000_000


class Thrower(gymnasium.Env[int, int]):
    """Every step throws a die of many faces; how is a subclass's matter."""

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(FACES)
        self.total = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.start(int(self.np_random.integers(FACES)))
        self.total = 0
        return 0, {}

    def start(self, seed: int) -> None:
        """Get the dice ready for an episode."""

    def throw(self) -> int:
        return int(self.np_random.integers(1, FACES))

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.total = self.throw()
        return self.total, self.total / FACES, False, False, {}


# Dice of their own for clones.


class DeepCopyWithoutMemo(Thrower):
    """Its copy is made by hand, so copy.deepcopy does not learn of the generators in it."""

    def start(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def throw(self) -> int:
        return int(self.rng.integers(1, FACES))

    def __deepcopy__(self, memo: Any) -> "DeepCopyWithoutMemo":
        twin = DeepCopyWithoutMemo()
        vars(twin).update({name: copy.deepcopy(value) for name, value in vars(self).items()})
        return twin


class Spawned(Thrower):
    """A new generator for each throw, from the seed sequence of the first."""

    def throw(self) -> int:
        return int(self.np_random.spawn(1)[0].integers(1, FACES))


class FromSeedSequence(Thrower):
    def start(self, seed: int) -> None:
        self.seeds = np.random.SeedSequence(seed)

    def throw(self) -> int:
        return int(np.random.default_rng(self.seeds.spawn(1)[0]).integers(1, FACES))


class LegacyPCG(Thrower):
    """A RandomState on another bit generator, which `seed` refuses."""

    def start(self, seed: int) -> None:
        self.rng = np.random.RandomState(np.random.PCG64(seed))

    def throw(self) -> int:
        return int(abs(self.rng.standard_normal()) * 1e5) + 1  # keeps every other number back for next time


class Cup:
    __slots__ = ("dice",)

    def __init__(self, seed: int) -> None:
        self.dice: Any = deque([{"die": np.array([random.Random(seed)], dtype=object)}])

    def __deepcopy__(self, memo: Any) -> "Cup":
        twin = Cup(0)
        twin.dice = copy.deepcopy(self.dice)
        return twin


class InsideOtherThings(Thrower):
    def start(self, seed: int) -> None:
        self.cup = Cup(seed)

    def throw(self) -> int:
        return int(self.cup.dice[0]["die"][0].randint(1, FACES))


class PartOfAFunction(Thrower):
    def start(self, seed: int) -> None:
        self.roll = functools.partial(np.random.default_rng(seed).integers, 1, FACES)

    def throw(self) -> int:
        return int(self.roll())


class MethodOfAGenerator(Thrower):
    def start(self, seed: int) -> None:
        self.roll = random.Random(seed).randint

    def throw(self) -> int:
        return self.roll(1, FACES)


class LoadedDice(gymnasium.Wrapper[int, int, int, int]):
    """A wrapper with dice of its own."""

    def __init__(self) -> None:
        super().__init__(Thrower())
        self.rng = np.random.default_rng(5)

    def step(self, action: int) -> Any:
        _, *rest = self.env.step(action)
        self.env.unwrapped.total = int(self.rng.integers(1, FACES))  # type: ignore[attr-defined]
        return self.env.unwrapped.total, *rest  # type: ignore[attr-defined]


class ProcessWide(Thrower):
    def start(self, seed: int) -> None:
        random.seed(seed)
        np.random.seed(seed)

    def throw(self) -> int:
        return random.randint(1, FACES // 2) + int(np.random.randint(1, FACES // 2))


SAMPLED: list[Callable[[], Any]] = [
    Thrower,
    DeepCopyWithoutMemo,
    Spawned,
    FromSeedSequence,
    LegacyPCG,
    InsideOtherThings,
    PartOfAFunction,
    MethodOfAGenerator,
    LoadedDice,
    ProcessWide,
]


@pytest.mark.parametrize("make", SAMPLED)
def test_no_sample_throws_the_dice_of_the_environment(make: Callable[[], Any]) -> None:
    env = make()
    game = load_gymnasium(env)
    env.reset(seed=11)
    for step in range(10):
        chance: Any = state_of(env, game).child(1)
        seen = {chance.sample(np.random.default_rng((step, i))).env.unwrapped.total for i in range(5)}
        again = chance.sample(np.random.default_rng((step, 0))).env.unwrapped.total
        assert len(seen) == 5, "clones throw the same dice whatever their seed"
        assert again in seen, "a seed does not repeat a sample"
        assert env.step(1)[0] not in seen


@pytest.mark.parametrize("make", SAMPLED)
def test_a_search_changes_no_dice_of_the_environment(make: Callable[[], Any]) -> None:
    def play(search: bool) -> list[int]:
        env = make()
        agent = EnvAgent("expss(depth=2,width=2,evaluator=zero)", env, seed=1)
        env.reset(seed=11)
        thrown = []
        for _ in range(6):
            if search:
                agent.act()
            thrown.append(env.step(1)[0])
        return thrown

    assert play(True) == play(False)


# Dice that clones share: refused, saying where they are.

DICE = np.random.default_rng(1)


class GlobalDice(Thrower):
    def throw(self) -> int:
        return int(DICE.integers(1, FACES))


class ClassDice(Thrower):
    dice = random.Random(1)

    def throw(self) -> int:
        return self.dice.randint(1, FACES)


class ClosureDice(Thrower):
    def start(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.roll = lambda: int(rng.integers(1, FACES))

    def throw(self) -> int:
        return self.roll()


class ClosureOverItself(Thrower):
    """The function that a clone holds is the environment's, and throws the environment's dice."""

    def start(self, seed: int) -> None:
        self.roll = lambda: int(self.np_random.integers(1, FACES))

    def throw(self) -> int:
        return self.roll()


class CompiledMethod(Thrower):
    def start(self, seed: int) -> None:
        self.roll = random.Random(seed).random

    def throw(self) -> int:
        return int(self.roll() * FACES)


class SharedByItsCopy(Thrower):
    def __deepcopy__(self, memo: Any) -> "SharedByItsCopy":
        twin = SharedByItsCopy()
        vars(twin).update(vars(self))
        return twin


class SharedIterator(Thrower):
    def start(self, seed: int) -> None:
        ahead = iter(np.random.default_rng(seed).integers(1, FACES, 1_000).tolist())
        self.roll = lambda: int(next(ahead))

    def throw(self) -> int:
        return self.roll()


class SharedFromTheBeginning(Thrower):
    def __init__(self) -> None:
        super().__init__()
        ahead = iter([3, 1, 4, 1, 5, 9, 2, 6])
        self.roll = lambda: next(ahead)

    def throw(self) -> int:
        return self.roll()


class SharedCycle(Thrower):
    ahead = itertools.cycle([3, 1, 4])

    def throw(self) -> int:
        return next(self.ahead)


class SharedGeneratorFunction(Thrower):
    ahead = (face for face in [3, 1, 4])


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (SharedFromTheBeginning, r"env\.roll \(its closure's ahead\) is a list_iterator"),
        (SharedCycle, r"SharedCycle\.ahead is a cycle"),
        (SharedGeneratorFunction, r"SharedGeneratorFunction\.ahead is a generator"),
    ],
)
def test_iterators_that_a_step_advances_are_refused(make: Callable[[], Any], where: str) -> None:
    with pytest.raises(UnsupportedGameError, match=where):
        load_gymnasium(make())


class Numbered(Thrower):
    """What else is an iterator: the numbers of instances and of episodes, names, files."""

    numbers = itertools.count()
    episodes = iter(range(1_000_000))
    log = open(os.devnull, "w")  # noqa: SIM115

    def __init__(self) -> None:
        super().__init__()
        self.number = next(self.numbers)

    def start(self, seed: int) -> None:
        self.said = io.StringIO()

    def throw(self, to: io.StringIO = io.StringIO()) -> int:  # noqa: B008
        return super().throw()


def test_iterators_that_no_step_advances_are_let_be() -> None:
    env = Numbered()
    game = load_gymnasium(env)
    env.reset(seed=11)
    chance: Any = state_of(env, game).child(1)
    seen = {chance.sample(np.random.default_rng(i)).env.unwrapped.total for i in range(5)}
    assert len(seen) == 5


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (GlobalDice, r"GlobalDice\.throw \(the global DICE\) is a Generator"),
        (ClassDice, r"ClassDice\.dice is a Random"),
        (ClosureDice, r"env\.roll \(its closure's rng\) is a Generator"),
        (ClosureOverItself, r"env\.roll \(its closure's self\)\._np_random is a "),
        (CompiledMethod, r"env\.roll\.__self__ is a Random"),
        (SharedByItsCopy, r"env\._np_random is a "),
        (SharedIterator, r"env\.roll \(its closure's ahead\) is a list_iterator"),
    ],
)
def test_dice_that_clones_would_share_are_refused_by_name(make: Callable[[], Any], where: str) -> None:
    env = make()
    env.reset(seed=11)
    twin = make()
    twin.reset(seed=11)
    with pytest.raises(UnsupportedGameError, match=f"{make.__name__} cannot be sampled: {where}.*real dice"):
        load_gymnasium(env)
    if make not in (GlobalDice, ClassDice):  # of which the twin's are the same
        assert [env.step(1)[0] for _ in range(5)] == [twin.step(1)[0] for _ in range(5)]


def test_dice_that_are_shared_once_an_episode_has_begun_are_refused_before() -> None:
    with pytest.raises(UnsupportedGameError, match="closure's rng"):
        load_gymnasium(ClosureDice())


# Dice that follow from what is copied: found out by stepping clones.


class MadeFromACounter(Thrower):
    def start(self, seed: int) -> None:
        self.seed, self.time = seed, 0

    def throw(self) -> int:
        self.time += 1
        return int(np.random.default_rng([self.seed, self.time]).integers(1, FACES))


class DrawnInAdvance(Thrower):
    def start(self, seed: int) -> None:
        self.ahead = np.random.default_rng(seed).integers(1, FACES, 1_000).tolist()

    def throw(self) -> int:
        return int(self.ahead.pop())


class IteratedInAdvance(DrawnInAdvance):
    def start(self, seed: int) -> None:
        super().start(seed)
        self.ahead = iter(self.ahead)

    def throw(self) -> int:
        return int(next(self.ahead))


class StopOrThrow(DrawnInAdvance):
    """Only the last of five actions throws; the others end the episode."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = spaces.Discrete(5)

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return super().step(action) if action == 4 else (self.total, 0.0, True, False, {})


class Coin(MadeFromACounter):
    """Only two outcomes, so that clones agree often enough by chance."""

    def throw(self) -> int:
        return super().throw() % 2


@pytest.mark.parametrize("make", [MadeFromACounter, DrawnInAdvance, IteratedInAdvance, StopOrThrow, Coin])
def test_dice_that_are_copied_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(UnsupportedGameError, match=r"an agent would foresee it; draw from self\.np_random"):
        load_gymnasium(make())
    with pytest.raises(UnsupportedGameError, match="foresee"):
        load_gymnasium(gymnasium.wrappers.TransformReward(make(), float))


class Deck(Thrower):
    """A hand is dealt that nobody sees at first; then dice are thrown."""

    def start(self, seed: int) -> None:
        self.ahead = [seed]

    def throw(self) -> int:
        return self.ahead.pop() if self.ahead else super().throw()


class LazyGenerator(Thrower):
    """Its generator is made when it is first needed, from a seed that it has."""

    def start(self, seed: int) -> None:
        self.seed = seed
        self.rng: Any = None

    def throw(self) -> int:
        if self.rng is None:
            self.rng = random.Random(self.seed)
        return int(self.rng.randint(1, 6))


class Blocks(Thrower):
    """Dice are thrown in blocks, at reset and whenever none are left, and used one by one."""

    size, at_once = 12, True

    def start(self, seed: int) -> None:
        self.ahead = self.block() if self.at_once else []

    def block(self) -> list[int]:
        return [int(die) for die in self.np_random.integers(1, 7, self.size)]

    def throw(self) -> int:
        if not self.ahead:
            self.ahead = self.block()
        return self.ahead.pop()


class Blocks100(Blocks):
    size = 100


class BlocksWhenEmpty(Blocks):
    """The first throw is its own; those after it are stored."""

    at_once = False


class BlocksWhenEmpty100(BlocksWhenEmpty):
    size = 100


class DeckBesideDice(Thrower):
    """A deck is shuffled at reset; each step shows a card of it, and a die that is thrown then."""

    def start(self, seed: int) -> None:
        self.deck = self.np_random.permutation(52).tolist()

    def step(self, action: int) -> Any:
        return (self.deck.pop(), int(self.np_random.integers(1, 7))), 0.0, len(self.deck) < 40, False, {}


@pytest.mark.parametrize(
    "make",
    [LazyGenerator, Blocks, Blocks100, BlocksWhenEmpty, BlocksWhenEmpty100, DeckBesideDice, Deck],
)
def test_dice_thrown_in_one_step_do_not_clear_those_stored_for_another(make: Callable[[], Any]) -> None:
    found = foreseen(SampledGame(make(), name="it").env, View("it"), episodes=48, steps=10, seconds=60.0)
    assert found.stored
    step = 2 if make in (BlocksWhenEmpty, BlocksWhenEmpty100) else 1
    assert f"Seen in step {step}, action" in str(found.reason)


def test_a_lazy_generator_is_refused_unless_it_is_declared() -> None:
    with pytest.raises(UnsupportedGameError, match=r"foresee it; .* Seen in step 1, action 0"):
        load_gymnasium(LazyGenerator())
    load_gymnasium(LazyGenerator(), hidden="redraw")


class GrowingClassList(Thrower):
    """What one episode throws, every other throws too: clones share the class and what it holds."""

    thrown: ClassVar[list[int]] = []

    def start(self, seed: int) -> None:
        self.number = 0

    def throw(self) -> int:
        while len(self.thrown) <= self.number:
            self.thrown.append(int(self.np_random.integers(1, FACES)))
        self.number += 1
        return self.thrown[self.number - 1]


def test_dice_kept_by_a_class_are_refused_and_left_as_they_were() -> None:
    with pytest.raises(
        UnsupportedGameError, match=r"a step changes GrowingClassList\.thrown, which is outside"
    ):
        load_gymnasium(GrowingClassList())
    assert GrowingClassList.thrown == []


def test_a_look_ends_where_everything_has_been_seen() -> None:
    """Two first actions of 48 episodes, eight of which go five times; no two then look alike."""
    found = foreseen(Thrower(), View("it"), episodes=48, steps=10**6, seconds=60.0)
    assert (found.trials, found.timed_out) == (2, False)
    assert found.steps == 2 * (48 + 8 * (3 + 1))


def test_only_what_waits_for_no_processor_is_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine takes the processor away for longer than the cap: the clock then says nothing."""
    queued = iter([0.0, 5.0, 0.1])
    monkeypatch.setattr("starspiel.envs.gymnasium.sampled.situations._queued", lambda: next(queued))
    budget = Budget(1.0)
    now = time.perf_counter()
    monkeypatch.setattr("starspiel.envs.gymnasium.sampled.situations.time.perf_counter", lambda: now + 7)
    assert not budget.spent()
    assert budget.spent()


def test_agreement_by_chance() -> None:
    # Two continuations of each of two episodes: 2 of the 6 orders agree within both.
    assert chance_of_agreement(["a", "b"], 2) == pytest.approx(2 / 6)
    assert chance_of_agreement(["a", "a"], 5) == pytest.approx(1.0)


class Slow:
    """Waits, so that a short budget runs out after a step or two."""

    def step(self, action: int) -> Any:
        time.sleep(0.01)
        return super().step(action)  # type: ignore[misc]


class SlowDrawnInAdvance(Slow, DrawnInAdvance):
    pass


class SlowCertain(Slow, Thrower):
    """Its episodes look alike for ever."""

    def throw(self) -> int:
        return self.total + 1


def test_what_was_seen_until_time_ran_out_decides() -> None:
    found = foreseen(SlowCertain(), View("slow"), episodes=8, steps=10**6, seconds=0.2)
    assert found.timed_out
    assert found.reason is None
    found = foreseen(SlowDrawnInAdvance(), View("slow"), episodes=8, steps=10, seconds=10.0)
    assert "foresee" in (found.reason or "")


class VerySlow(Thrower):
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        time.sleep(0.3)
        return super().reset(seed=seed)


def test_what_is_too_slow_to_try_says_so() -> None:
    found = foreseen(VerySlow(), View("slow"), episodes=8, steps=10, seconds=0.1)
    assert (found.steps, found.reason, found.settled) == (0, None, False)
    game = SampledGame(gymnasium.wrappers.TimeLimit(VerySlow(), 2), name="slow")
    report = check_game(game, games=1, seconds=0.1)
    assert "open   dice cannot be foreseen: not settled: too slow to try; 0 comparisons" in str(report)


def test_a_game_too_slow_to_try_tells_in_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "starspiel.envs.gymnasium.game.refuse_foreseen", lambda *_, **__: Foresight(timed_out=True)
    )
    assert "not settled: too slow to try" in load_gymnasium(Thrower()).source  # type: ignore[attr-defined]


class Box:
    def __init__(self, dice: Iterator[int]) -> None:
        self.dice = dice

    def __deepcopy__(self, memo: Any) -> "Box":
        return self


HIDDEN = Box(iter(range(1, FACES)))


class HiddenShare(Thrower):
    """Dice in a global object, which nothing of the environment refers to."""

    def throw(self) -> int:
        return next(HIDDEN.dice)


class Entropy(Thrower):
    def throw(self) -> int:
        return random.SystemRandom().randint(1, FACES)


@pytest.mark.parametrize("own_dice", [False, True])
def test_dice_in_an_object_that_is_global_are_refused_whatever_is_declared(own_dice: bool) -> None:
    with pytest.raises(UnsupportedGameError, match=r"\(the global HIDDEN\)\.dice is a range_iterator"):
        load_gymnasium(HiddenShare(), own_dice=own_dice)


def test_dice_that_no_seed_reaches_are_refused_unless_they_are_declared() -> None:
    with pytest.raises(
        UnsupportedGameError, match=r"two clones seeded alike went .* own_dice=True lets them"
    ):
        load_gymnasium(Entropy())
    agent = EnvAgent("expss(depth=1,width=2)", gymnasium.wrappers.TimeLimit(Entropy(), 3), own_dice=True)
    assert agent.play(seed=1) > 0


class Certain(Thrower):
    """Nothing random: clones cannot but agree."""

    def throw(self) -> int:
        return self.total + 1


class CertainFromAHiddenStart(Certain):
    """As CartPole: what is random shows in the first observation."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.total = int(self.np_random.integers(1, FACES // 2))
        return self.total, {}


class FairCoin(Thrower):
    def throw(self) -> int:
        return int(self.np_random.integers(2))


class Undefined(Certain):
    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return np.array([np.nan]), 0.0, False, False, {}


@pytest.mark.parametrize("make", [Certain, CertainFromAHiddenStart, FairCoin, Undefined])
def test_what_is_fair_is_not_refused(make: Callable[[], Any]) -> None:
    game: Any = load_gymnasium(make())
    assert foreseen(game.env, game.view, episodes=32, steps=10, seconds=60.0).reason is None


@pytest.mark.parametrize("name", ["Blackjack-v1", "CartPole-v1", "Taxi-v4(fickle_passenger=true)"])
def test_gymnasiums_own_are_not_refused(name: str) -> None:
    assert "samples" in load_gymnasium(name).source  # type: ignore[attr-defined]


class Late(Thrower):
    """Its dice begin after fourteen certain steps, further than is looked at when it is loaded."""

    def start(self, seed: int) -> None:
        self.seed, self.time = seed, 0

    def throw(self) -> int:
        self.time += 1
        return 0 if self.time < 15 else int(np.random.default_rng([self.seed, self.time]).integers(1, FACES))


def test_the_check_looks_further() -> None:
    env = gymnasium.wrappers.TimeLimit(Late(), 20)
    report = check_game(load_gymnasium(env), games=5, seconds=60)
    assert "dice cannot be foreseen" in report.failed
    assert "would foresee it" in str(report)
    assert check_game(load_gymnasium(gymnasium.wrappers.TimeLimit(Thrower(), 20)), games=5, seconds=60).ok


def test_observations_that_are_shown_late_are_called_so() -> None:
    class Die(Thrower):
        def throw(self) -> int:
            return int(self.np_random.integers(1, 7))

    unpaid = gymnasium.wrappers.TransformReward(Die(), lambda reward: 0.0)
    late = gymnasium.wrappers.TransformReward(gymnasium.wrappers.DelayObservation(unpaid, 2), float)
    with pytest.raises(UnsupportedGameError, match="DelayObservation shows what was to be seen some steps"):
        load_gymnasium(late)
    assert load_gymnasium(late, hidden="seen").explicit_chance is False
    agent = EnvAgent("expss(depth=1,width=1)", unpaid, seed=1)
    late.reset(seed=1)
    assert agent.act() in (0, 1)
