"""Environments whose clones cannot be trusted are refused, and those that hide state are warned of."""

import copy
import math
import random
import re
import time
import warnings
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel import EnvAgent, load_game
from starspiel.envs.conformance import check_game
from starspiel.envs.errors import HiddenStateWarning, StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.budget import Budget
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.sampled.trust import chance_of_agreement, fisher, look
from starspiel.envs.gymnasium.sampled.visible import View

FACES = 1_000_000
pytestmark = pytest.mark.usefixtures("long_looks")


class Thrower(gymnasium.Env[Any, int]):
    """Every step throws a die of many faces; how is a subclass's matter."""

    def __init__(self) -> None:
        self.action_space: Any = spaces.Discrete(2)
        self.observation_space: Any = spaces.Discrete(FACES)
        self.total = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.start(int(self.np_random.integers(FACES)))
        self.total = 0
        return 0, {}

    def start(self, seed: int) -> None:
        """Get the dice ready for an episode."""

    def throw(self) -> Any:
        return int(self.np_random.integers(1, FACES))

    def step(self, action: int) -> Any:
        self.total = self.throw()
        return self.total, self.total / FACES, False, False, {}


def thrower(throw: Any = Thrower.throw, start: Any = Thrower.start) -> type[Thrower]:
    """A Thrower with its own way to throw, and to get ready."""
    return type("Other", (Thrower,), {"throw": throw, "start": start})


def with_rng(make: Callable[[int], Any], throw: Callable[[Any], Any]) -> type[Thrower]:
    """A Thrower whose `rng` is made anew for every episode."""
    return thrower(lambda self: int(throw(self.rng)), lambda self, seed: setattr(self, "rng", make(seed)))


class DeepCopyWithoutMemo(Thrower):
    """Its copy is made by hand, so copy.deepcopy does not learn of the generators in it."""

    def start(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def throw(self) -> int:
        return int(self.rng.integers(1, FACES))

    def __deepcopy__(self, memo: Any) -> "DeepCopyWithoutMemo":
        duplicate = DeepCopyWithoutMemo()
        vars(duplicate).update({name: copy.deepcopy(value) for name, value in vars(self).items()})
        return duplicate


class Cup:
    __slots__ = ("dice",)

    def __init__(self, seed: int) -> None:
        self.dice: Any = deque([{"die": np.array([random.Random(seed)], dtype=object)}])

    def __deepcopy__(self, memo: Any) -> "Cup":
        duplicate = Cup(0)
        duplicate.dice = copy.deepcopy(self.dice)
        return duplicate


class LoadedDice(gymnasium.Wrapper[Any, int, Any, int]):
    """A wrapper with dice of its own."""

    def __init__(self) -> None:
        super().__init__(Thrower())
        self.rng = np.random.default_rng(5)

    def step(self, action: int) -> Any:
        _, *rest = self.env.step(action)
        self.env.unwrapped.total = int(self.rng.integers(1, FACES))  # type: ignore[attr-defined]
        return self.env.unwrapped.total, *rest  # type: ignore[attr-defined]


def seed_global(env: Any, seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)


class OfSpaces(Thrower):
    """Draws from spaces of the class, which have no generator yet."""

    action_space: Any = spaces.Discrete(2)
    observation_space: Any = spaces.Dict({"die": spaces.Discrete(FACES)})

    def __init__(self) -> None:
        self.total = 0

    def throw(self) -> Any:
        return int(self.observation_space.sample()["die"])


def rolling(seed: int) -> Callable[[], Any]:
    rng = np.random.default_rng(seed)
    return lambda: rng.integers(1, FACES)


SAMPLED: dict[str, Any] = {
    "np_random": Thrower,
    "a copy without memo": DeepCopyWithoutMemo,
    "inside other things": with_rng(Cup, lambda cup: cup.dice[0]["die"][0].randint(1, FACES)),
    "a wrapper's": LoadedDice,
    "global": thrower(
        lambda self: random.randint(1, FACES // 2) + int(np.random.randint(1, FACES // 2)), seed_global
    ),
    "of spaces": OfSpaces,
    "in a closure": with_rng(rolling, lambda roll: roll()),
    "its own, in a function": thrower(
        lambda self: self.roll(),
        lambda self, seed: setattr(self, "roll", lambda: int(self.np_random.integers(1, FACES))),
    ),
}


@pytest.mark.parametrize("dice", SAMPLED)
def test_samples_throw_other_dice_than_the_environment_and_a_search_changes_none(
    dice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starspiel.envs.gymnasium.sampled.game.LOADING_SECONDS", 0.2)
    env, alone = (SAMPLED[dice]() for _ in range(2))
    agent = EnvAgent("expss(depth=2,width=2,evaluator=zero)", env, seed=1)
    env.reset(seed=11)
    for step in range(6):
        chance: Any = state_of(env, agent.game).child(1)
        seen = {chance.sample(np.random.default_rng((step, i))).env.unwrapped.total for i in range(5)}
        again = chance.sample(np.random.default_rng((step, 0))).env.unwrapped.total
        assert len(seen) == 5, "clones throw the same dice whatever their seed"
        assert again in seen, "a seed does not repeat a sample"
        agent.act()
        assert env.step(1)[0] not in seen
    if dice not in ("of spaces", "global"):  # which nobody seeds, and which both have
        thrown = [env.step(1)[0] for _ in range(3)]
        alone.reset(seed=11)
        assert [alone.step(1)[0] for _ in range(9)][6:] == thrown


# What a step changes outside the environment: refused, whatever is declared.

DICE: Any = np.random.default_rng(1)


SHARED = {
    "a global generator": thrower(lambda self: int(DICE.integers(1, FACES))),
    "a generator in the closure of a part": with_rng(lambda seed: [rolling(seed)], lambda held: held[0]()),
}


class Kept(Thrower):
    """Adds up what is thrown, in an attribute of the class."""

    kept = 0

    def start(self, seed: int) -> None:
        Kept.kept = 0

    def throw(self) -> int:
        Kept.kept += super().throw()
        return Kept.kept


class Entropy(Thrower):
    def throw(self) -> int:
        return random.SystemRandom().randint(1, FACES)


UNSEEDED: dict[str, Any] = SHARED | {"Kept": Kept, "Entropy": Entropy}


@pytest.mark.parametrize("make", UNSEEDED.values(), ids=UNSEEDED)
def test_what_no_seed_decides_is_refused(make: Any) -> None:
    with pytest.raises(
        UnsupportedGameError, match=r"two clones seeded alike went .* own_dice=True lets them"
    ):
        load_gymnasium(make())


def test_state_outside_is_refused_though_own_dice_are_declared() -> None:
    """The advice must not let a search change the real game."""
    with pytest.raises(
        UnsupportedGameError, match=r"depended on how many .* Keep it in an attribute of self"
    ):
        load_gymnasium(Kept(), own_dice=True)


def test_dice_of_the_operating_system_are_played_if_they_are_declared() -> None:
    agent = EnvAgent("expss(depth=1,width=2)", gymnasium.wrappers.TimeLimit(Entropy(), 3), own_dice=True)
    assert agent.play(seed=1) > 0


class SharedByItsCopy(Thrower):
    def __deepcopy__(self, memo: Any) -> "SharedByItsCopy":
        duplicate = SharedByItsCopy()
        vars(duplicate).update(vars(self))
        return duplicate


def test_a_copy_with_the_environments_own_generator_is_refused() -> None:
    env, duplicate = SharedByItsCopy(), SharedByItsCopy()
    env.reset(seed=11)
    duplicate.reset(seed=11)
    with pytest.raises(UnsupportedGameError, match=r"its copies share its .*real dice"):
        load_gymnasium(env)
    assert [env.step(1)[0] for _ in range(5)] == [duplicate.step(1)[0] for _ in range(5)]


# Dice that follow from what is copied.


class MadeFromACounter(Thrower):
    first = 0

    def start(self, seed: int) -> None:
        self.seed, self.time = seed, 0

    def throw(self) -> int:
        self.time += 1
        if self.time < self.first:
            return 0
        return int(np.random.default_rng([self.seed, self.time]).integers(1, FACES))


class Late(MadeFromACounter):
    """Its dice begin further on than is looked at when it is loaded."""

    first = 30


def ahead_of(seed: int) -> Any:
    return np.random.default_rng(seed).integers(1, FACES, 1_000).tolist()


class DrawnInAdvance(Thrower):
    def start(self, seed: int) -> None:
        self.ahead = ahead_of(seed)

    def throw(self) -> int:
        return int(self.ahead.pop())


class BlocksWhenEmpty(Thrower):
    """Dice are thrown in blocks whenever none are left: the first is its own, those after it are stored."""

    def start(self, seed: int) -> None:
        self.ahead: list[int] = []

    def throw(self) -> int:
        if not self.ahead:
            self.ahead = [int(die) for die in self.np_random.integers(1, 7, 12)]
        return self.ahead.pop()


STORED = {
    "made from a counter": MadeFromACounter,
    "drawn in advance": DrawnInAdvance,
    "blocks": BlocksWhenEmpty,
}


@pytest.mark.parametrize("dice", STORED)
def test_stored_dice_are_refused(dice: str) -> None:
    make, step = STORED[dice], 2 if dice == "blocks" else 1
    words = rf"an agent would foresee it; draw from self\.np_random .* Seen in step {step}, action"
    with pytest.raises(UnsupportedGameError, match=words):
        load_gymnasium(gymnasium.wrappers.TransformReward(make(), float))
    load_gymnasium(make(), hidden="redraw")


def test_agreement_by_chance() -> None:
    # Two continuations of each of two episodes: 2 of the 6 orders agree within both.
    assert chance_of_agreement(["a", "b"], 2) == pytest.approx(2 / 6)
    assert chance_of_agreement(["a", "a"], 5) == pytest.approx(1.0)


# What is sound.


class Certain(Thrower):
    """Nothing random: clones cannot but agree."""

    def throw(self) -> int:
        return self.total + 1


class CertainFromAStart(Certain):
    """As CartPole: what is random shows in the first observation."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.total = int(self.np_random.integers(1, FACES // 2))
        return self.total, {}


class Continuous(Thrower):
    """No two rewards are equal."""

    def step(self, action: int) -> Any:
        return 0, float(self.np_random.standard_cauchy() + action), False, False, {}


class Cache(Certain):
    """A cache, and a table made when it is first needed."""

    squares: ClassVar[dict[int, int]] = {}
    table: ClassVar[Any] = None

    def throw(self) -> int:
        Cache.table = Cache.table or list(range(100))
        self.squares.setdefault(self.total, self.total**2)
        return super().throw()


@pytest.mark.parametrize("make", [CertainFromAStart, Continuous, Cache, lambda: "CartPole-v1"])
def test_what_is_fair_is_played_without_a_word(make: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "samples" in load_game(make()).source  # type: ignore[attr-defined]


# Hidden state.


class Urn(Thrower):
    """Draws from an urn chosen at reset, which nobody sees; `odds` are the urns' chances of a 1."""

    odds: tuple[float, ...] = (0.2, 0.8)

    def start(self, seed: int) -> None:
        self.chance = self.odds[int(self.np_random.integers(len(self.odds)))]
        self.drawn = 0

    def step(self, action: int) -> Any:
        self.drawn += 1
        ball = int(self.np_random.random() < self.chance)
        return ball, float(action * ball), self.drawn == 4, False, {}


class OneUrn(Urn):
    odds = (0.5,)


@pytest.mark.slow
def test_what_is_done_about_hidden_state() -> None:
    with pytest.warns(HiddenStateWarning, match="Urn has hidden state, which a search on its clones sees"):
        load_gymnasium(Urn())
    with pytest.raises(UnsupportedGameError, match="Urn has hidden state: episodes that had looked alike"):
        load_gymnasium(Urn(), hidden="refuse")
    with pytest.warns(HiddenStateWarning, match="by action 0: the reward differed in distribution"):
        load_gymnasium("Blackjack-v1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_game(Urn(), hidden="seen")
    with pytest.raises(StarspielError, match=r"hidden must be warn, redraw, seen or refuse, got 'redrew'"):
        load_gymnasium(Urn(), hidden="redrew")
    with pytest.raises(StarspielError, match="hidden: options of environments, but 'pig' is not one"):
        load_game("pig", hidden="seen")
    with pytest.raises(StarspielError, match="in which nothing is hidden"):
        load_game("FrozenLake-v1(hidden=seen)")


def test_nothing_is_found_where_nothing_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a rate of errors a hundred times the real one, two wrong looks of six have a probability of 0.2%."""
    monkeypatch.setattr("starspiel.envs.gymnasium.sampled.differences.ERROR_RATE", 1e-2)
    wrong = 0
    for number in range(6):
        env = OneUrn()
        env.odds = (0.1 + 0.15 * number,)
        wrong += look(env, View("it"), episodes=8, steps=6, budget=Budget(60.0)).hidden is not None
    assert wrong <= 1


def test_a_test_errs_as_often_as_it_says() -> None:
    """Over all tables of two samples of one coin, small probabilities come no more often than they say."""
    size, chance = 12, 0.3
    weights = [math.comb(size, k) * chance**k * (1 - chance) ** (size - k) for k in range(size + 1)]
    tables = [(a, b) for a in range(size + 1) for b in range(size + 1)]
    for level in (1e-1, 1e-2, 1e-3, 1e-4):
        assert sum(weights[a] * weights[b] for a, b in tables if fisher(a, b, size) <= level) <= level
    # The lady tasting tea: eight cups, four of a kind, all told rightly.
    assert fisher(4, 0, 4) == pytest.approx(1 / 70)


# Episodes of which no two look alike.


class HigherLower(gymnasium.Env[Any, int]):
    """Is the next card higher? The deck is shuffled in `reset`, and every bankroll differs."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(0, 1e6, (2,))

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.bankroll = float(self.np_random.uniform(100, 1000))
        self.deck = [int(card) for card in self.np_random.permutation(52) % 13]
        self.card, self.rounds = self.deck.pop(), 0
        return self.shown(), {}

    def shown(self) -> Any:
        return np.array([self.bankroll, self.card])

    def step(self, action: int) -> Any:
        before, self.card = self.card, self.next_card()
        won = 1.0 if (self.card > before) == bool(action) else -1.0
        self.bankroll += won
        self.rounds += 1
        return self.shown(), won, self.rounds == 20, False, {}

    def next_card(self) -> int:
        return self.deck.pop()


# The check, which looks for longer.


@pytest.mark.parametrize(
    ("make", "options", "failed", "lines"),
    [
        (
            lambda: gymnasium.wrappers.TimeLimit(Late(), 35),
            {},
            ["dice cannot be foreseen", "hidden state"],
            ["FAILED dice cannot be foreseen: .* comparisons of situations that look alike"],
        ),
        (Urn, {"hidden": "seen"}, [], ["ok     hidden state: .* found, and declared: hidden=seen"]),
        (OneUrn, {}, [], [r"ok     hidden state: none found in [\d,]+ comparisons .* error rate 0.0001"]),
        (
            HigherLower,
            {},
            [],
            [
                "open   hidden state: not comparable: no two of 48 episodes looked alike",
                "open   dice cannot be foreseen: not settled: too few episodes .*; 0 comparisons",
                ".* as far as is known; open: dice cannot be foreseen, hidden state",
            ],
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::starspiel.envs.errors.HiddenStateWarning")
def test_the_check_says_what_it_knows(
    make: Any, options: Any, failed: list[str], lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starspiel.envs.conformance.samples._EPISODES", 48)
    report = check_game(load_gymnasium(make(), **options), games=3, seconds=60)
    assert report.failed == failed
    for line in lines:
        assert any(re.match(line, text) for text in str(report).splitlines()), str(report)


# Time.


class Slow(Thrower):
    """Waits, so that a short budget runs out; its episodes look alike for ever."""

    def throw(self) -> int:
        time.sleep(0.005)
        return self.total + 1


class VerySlow(Thrower):
    def reset(self, **given: Any) -> Any:
        time.sleep(0.3)
        return super().reset(**given)


def test_a_look_ends_with_its_time_and_says_what_is_not_settled() -> None:
    found = look(Slow(), View("slow"), episodes=8, steps=10**6, budget=Budget(0.05))
    assert found.timed_out
    assert (found.shared, found.stored, found.hidden) == (None, None, None)
    found = look(VerySlow(), View("slow"), episodes=8, steps=10, budget=Budget(0.01))
    assert (found.steps, found.stored, found.settled) == (0, None, False)
    game = SampledGame(gymnasium.wrappers.TimeLimit(VerySlow(), 2), name="slow")
    report = check_game(game, games=1, seconds=0.02)
    assert "open   dice cannot be foreseen: not settled: too slow to try; 0 comparisons" in str(report)


def test_a_check_of_what_waits_ends_with_its_time() -> None:
    """A step that waits takes no processor time, as all steps seem to on a busy machine."""
    game = SampledGame(gymnasium.wrappers.TimeLimit(Slow(), 5), name="slow")
    started = time.perf_counter()
    report = check_game(game, games=2, seconds=2.0)
    assert time.perf_counter() - started < 30.0  # and not for as long as there are episodes
    assert report.ok, str(report)
