"""State outside an environment, which its clones share: named and refused, and never changed by a search."""

import random
import types
from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import pytest
from gymnasium import spaces

from starspiel import EnvAgent
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.gymnasium.game import load_gymnasium
from starspiel.envs.gymnasium.sampled.outside import Outside

pytestmark = pytest.mark.usefixtures("quick_looks")


class Roll(gymnasium.Env[int, int]):
    """Add a die or stop; `get` and `put` say where the total is kept."""

    def __init__(self) -> None:
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Discrete(1000)

    def get(self) -> int:
        return int(self.__dict__.get("total", 0))

    def put(self, total: int) -> None:
        self.total = total

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.put(0)
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        if action:
            self.put(self.get() + int(self.np_random.integers(1, 7)))
        total = self.get()
        return total, float(total) * (not action), not action or total > 10, False, {}


class OfTheClass(Roll):
    total = 0

    def get(self) -> int:
        return OfTheClass.total

    def put(self, total: int) -> None:
        OfTheClass.total = total


class InAClassList(Roll):
    totals: ClassVar[list[int]] = [0]

    def get(self) -> int:
        return self.totals[0]

    def put(self, total: int) -> None:
        self.totals[0] = total


TOTAL = 0


class OfTheModule(Roll):
    def get(self) -> int:
        return TOTAL

    def put(self, total: int) -> None:
        global TOTAL
        TOTAL = total


class Board:
    __slots__ = ("total",)


BOARD = Board()
BOARD.total = 0


def put_on_board(total: int) -> None:
    BOARD.total = total


class OfAGlobalObject(Roll):
    def get(self) -> int:
        return BOARD.total

    def put(self, total: int) -> None:
        put_on_board(total)


def in_a_closure() -> Roll:
    total = 0

    class InAClosure(Roll):
        def get(self) -> int:
            return total

        def put(self, new: int) -> None:
            nonlocal total
            total = new

    return InAClosure()


class OfAFunction(Roll):
    def get(self) -> int:
        return int(vars(OfAFunction.put).get("total", 0))

    def put(self, total: int) -> None:
        vars(OfAFunction.put)["total"] = total


class ByDefault(Roll):
    def get(self, kept: list[int] = [0]) -> int:  # noqa: B006
        return kept[0]

    def put(self, total: int) -> None:
        self.get.__func__.__defaults__[0][0] = total  # type: ignore[attr-defined]


class Cached(Roll):
    """What the class keeps is a cache, one that decides."""

    thrown: ClassVar[dict[int, int]] = {}

    def step(self, action: int) -> Any:
        die = self.thrown.setdefault(self.get(), int(self.np_random.integers(1, 7)))
        self.put(self.get() + die * action)
        return self.get(), float(self.get()) * (not action), not action or self.get() > 10, False, {}


OUTSIDE: list[tuple[Callable[[], Roll], str]] = [
    (OfTheClass, r"a step changes OfTheClass\.total"),
    (InAClassList, r"a step changes InAClassList\.totals"),
    (OfTheModule, r"a step changes .*test_outside\.TOTAL"),
    (OfAGlobalObject, r"a step changes .*BOARD\)?\.total"),
    (in_a_closure, r"a step changes InAClosure\.\w+ \(its closure's total\)"),
    (OfAFunction, r"a step changes OfAFunction\.put"),
    (ByDefault, r"a step changes ByDefault\.get"),
    (Cached, r"a step changes Cached\.thrown"),
]


@pytest.mark.parametrize(("make", "where"), OUTSIDE)
@pytest.mark.parametrize("own_dice", [False, True])
def test_state_outside_is_named_and_left_as_it_was(
    make: Callable[[], Roll], where: str, own_dice: bool
) -> None:
    env = make()
    env.reset(seed=1)
    env.step(1)
    before = env.get()
    assert before > 0
    with pytest.raises(UnsupportedGameError, match=f"{where}.*outside the environment.*attribute of self"):
        load_gymnasium(env, own_dice=own_dice)
    assert env.get() == before


def test_what_the_advice_makes_of_it_is_played() -> None:
    """An attribute of self, set in reset."""
    env = Roll()
    agent = EnvAgent("expss(depth=1,evaluator=rollout(n=20))", env, seed=1)
    _, info = env.reset(seed=3)
    while env.total < 5:
        assert agent.act(info) == 1
        env.step(1)
    total = env.total
    agent.act(info)
    assert env.total == total


class Harmless(Roll):
    """A cache, a table made when it is first needed, a number of instances."""

    squares: ClassVar[dict[int, int]] = {}
    table: ClassVar[Any] = None
    made = 0

    def __init__(self) -> None:
        super().__init__()
        Harmless.made += 1

    def step(self, action: int) -> Any:
        Harmless.table = Harmless.table or list(range(100))
        self.squares.setdefault(self.get(), self.get() ** 2)
        return super().step(action)


def test_a_cache_is_let_be() -> None:
    assert load_gymnasium(Harmless()).explicit_chance is False
    assert Harmless.squares or Harmless.table


class Late(Roll):
    """What happens late is found in the search that does it, and undone."""

    ends: ClassVar[list[int]] = [0]

    def step(self, action: int) -> Any:
        self.ends[0] += self.get() > 1000
        self.put(self.get() + 1)
        return self.get(), 0.0, False, False, {}


def test_a_search_that_changes_something_outside_undoes_it() -> None:
    agent = EnvAgent("expss(depth=2,width=1,evaluator=zero)", Late(), seed=1)
    _, info = agent.env.reset(seed=1)
    assert agent.act(info) in (0, 1)
    agent.env.unwrapped.put(1001)
    with pytest.raises(UnsupportedGameError, match=r"a step changes Late\.ends"):
        agent.act(info)
    assert Late.ends == [0]


# Dice that come to be shared.


class LazyGlobal(Roll):
    """Its generator is bound to a name of its module in a step."""

    def step(self, action: int) -> Any:
        global DICE
        DICE = DICE or random.Random(1)
        return DICE.randrange(1000), 0.0, False, False, {}


DICE: Any = None


class LazyClass(Roll):
    dice: ClassVar[Any] = None

    def step(self, action: int) -> Any:
        type(self).dice = type(self).dice or random.Random(1)
        return self.dice.randrange(1000), 0.0, False, False, {}


class LazyFunction(Roll):
    def step(self, action: int) -> Any:
        function: Any = type(self).step
        function.dice = getattr(function, "dice", None) or random.Random(1)
        return function.dice.randrange(1000), 0.0, False, False, {}


@pytest.mark.parametrize("make", [LazyGlobal, LazyClass, LazyFunction])
def test_dice_that_come_to_be_shared_are_found_when_they_do(make: Any) -> None:
    with pytest.raises(UnsupportedGameError, match="is a Random that the environment and its clones share"):
        load_gymnasium(make())


@pytest.mark.parametrize(
    "put",
    [
        lambda cls, dice: cls.TABLE.update({5: dice}),
        lambda cls, dice: cls.TABLE[3].append(dice),
        lambda cls, dice: cls.TABLE[3][1][1].__setitem__(0, dice),
        lambda cls, dice: cls.TABLE.update({dice: 5}),
        lambda cls, dice: setattr(cls, "TABLE", {1: dice}),
    ],
)
def test_dice_in_a_table_of_the_class_are_found(put: Callable[[Any, Any], None]) -> None:
    kind: Any = type("Tabled", (Roll,), {"TABLE": {i: [(j, [j]) for j in range(3)] for i in range(20)}})
    Outside(kind(), "tabled")
    put(kind, random.Random(1))
    with pytest.raises(UnsupportedGameError, match="is a Random that the environment and its clones share"):
        Outside(kind(), "tabled")


config: Any = types.ModuleType(f"{__name__.partition('.')[0]}.config")
config.total = 0


class Configured(Roll):
    def get(self) -> int:
        return int(config.total)

    def put(self, total: int) -> None:
        config.total = total


def test_names_of_a_module_of_the_same_package_count() -> None:
    with pytest.raises(UnsupportedGameError, match=r"a step changes config\.total"):
        load_gymnasium(Configured())
    assert config.total == 0
