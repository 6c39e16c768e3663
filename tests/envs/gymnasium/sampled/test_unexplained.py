"""Stored dice are suspected where no two episodes look alike, and what can be foretold is not."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel.envs.conformance import check_game
from starspiel.envs.errors import HiddenStateWarning, UnsupportedGameError
from starspiel.envs.gymnasium.game import load_gymnasium
from starspiel.envs.gymnasium.sampled import unexplained
from starspiel.envs.gymnasium.sampled.unexplained import find_unexplained
from starspiel.envs.gymnasium.sampled.visible import View


@pytest.fixture(autouse=True)
def _enough_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks end by what they have to do, so that a busy machine changes none."""
    for where in ("gymnasium.game", "conformance.samples"):
        monkeypatch.setattr(
            f"starspiel.envs.{where}.find_unexplained", lambda env, view, _: find_unexplained(env, view, 60.0)
        )


class HigherLower(gymnasium.Env[Any, int]):
    """Is the next card higher? The deck is shuffled in `reset`, and every bankroll differs."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(0, 1e6, (2,))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
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


class Bag(HigherLower):
    """Dice are thrown besides, so that fresh ones change something in every step."""

    def step(self, action: int) -> Any:
        _, _, *rest = super().step(action)
        die = float(self.np_random.integers(1, 7))
        self.bankroll += die
        return self.shown(), die, *rest


class Bankroll(HigherLower):
    """Only the bankroll is shown."""

    observation_space = spaces.Box(0, 1e6, (1,))

    def shown(self) -> Any:
        return np.array([self.bankroll])


class Thrown(HigherLower):
    def next_card(self) -> int:
        return int(self.np_random.integers(13))


class Fifteen(gymnasium.Env[Any, int]):
    """The fifteen puzzle: everything is shown, and nothing is thrown."""

    action_space = spaces.Discrete(4)
    observation_space = spaces.Box(0, 15, (16,))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.tiles = self.np_random.permutation(16)
        return self.tiles.copy(), {}

    def step(self, action: int) -> Any:
        row, column = divmod(int(np.flatnonzero(self.tiles == 0)[0]), 4)
        down, right = ((0, 1), (1, 0), (0, -1), (-1, 0))[action]
        if 0 <= row + down < 4 and 0 <= column + right < 4:
            here, there = row * 4 + column, (row + down) * 4 + column + right
            self.tiles[[here, there]] = self.tiles[[there, here]]
        return self.tiles.copy(), -1.0, False, False, {}


@pytest.mark.parametrize("make", [HigherLower, Bag, Bankroll])
def test_a_deck_that_starts_cannot_reveal_is_a_warning(make: Any) -> None:
    words = r"may have hidden state, .*no two of 40 episodes looked alike.* fresh dice never changed"
    with pytest.warns(HiddenStateWarning, match=words):
        load_gymnasium(make())
    with pytest.raises(UnsupportedGameError, match="may have hidden state: no two of 40"):
        load_gymnasium(make(), hidden="refuse")


class Crowded(HigherLower):
    """Shows more than can be learnt from a few episodes, the deck among it."""

    observation_space = spaces.Box(0, 1e6, (60,))

    def shown(self) -> Any:
        return np.array([self.bankroll, self.card, *self.deck, *[0] * (58 - len(self.deck))])


@pytest.mark.parametrize(
    "make",
    [Thrown, Crowded, Fifteen, *(lambda n=n: gymnasium.make(n) for n in ("CartPole-v1", "Acrobot-v1"))],
)
def test_what_is_thrown_or_can_be_foretold_is_no_suspect(make: Any) -> None:
    env = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_gymnasium(env)


def test_too_few_episodes_settle_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unexplained, "_EPISODES", 20)
    assert find_unexplained(HigherLower(), View("it"), 60.0) is None


def test_the_check_never_says_ok_of_what_it_could_not_compare() -> None:
    with pytest.warns(HiddenStateWarning):
        game = load_gymnasium(HigherLower())
    text = str(check_game(game, games=3, seconds=2))
    assert "open   hidden state: not comparable: no two of 128 episodes looked alike" in text
    assert "fresh dice never changed" in text
    assert "open   dice cannot be foreseen: not settled: too few episodes looked alike" in text
    assert "0 comparisons of situations that look alike" in text
    assert text.endswith("as far as is known; open: dice cannot be foreseen, hidden state.")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seen = load_gymnasium(HigherLower(), hidden="seen")
    assert "open   hidden state" in str(check_game(seen, games=3, seconds=1))
