"""State that an environment hides and a search sees: found, and nothing found where nothing is hidden."""

import math
import re
import warnings
from typing import Any

import gymnasium
import pytest
from gymnasium import spaces

from starspiel import load_game
from starspiel.envs.conformance import check_game
from starspiel.envs.errors import HiddenStateWarning, StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.game import load_gymnasium
from starspiel.envs.gymnasium.sampled.hidden import Hidden, find_hidden, fisher
from starspiel.envs.gymnasium.sampled.visible import View


@pytest.fixture(autouse=True)
def _enough_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks end by what they have to do, so that a busy machine changes none."""

    def patient(env: Any, name: str, *, episodes: int, steps: int, seconds: float) -> Hidden:
        return find_hidden(env, name, episodes=episodes, steps=steps, seconds=60.0)

    for where in ("gymnasium.game", "conformance.samples"):
        monkeypatch.setattr(f"starspiel.envs.{where}.find_hidden", patient)


class Urn(gymnasium.Env[Any, int]):
    """Draws from an urn chosen at reset, which nobody sees; `odds` are the urns' chances of a 1."""

    odds: tuple[float, ...] = (0.2, 0.8)

    def __init__(self) -> None:
        self.action_space: Any = spaces.Discrete(2)
        self.observation_space: Any = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.chance = self.odds[int(self.np_random.integers(len(self.odds)))]
        self.drawn = 0
        return self.first(), {}

    def first(self) -> Any:
        return 0

    def step(self, action: int) -> Any:
        self.drawn += 1
        ball = int(self.np_random.random() < self.chance)
        return ball, float(action * ball), self.drawn == 4, False, {}


class OneUrn(Urn):
    odds = (0.5,)


class NoTwoAlike(Urn):
    def first(self) -> Any:
        return float(self.np_random.random())


def look(env: gymnasium.Env[Any, Any], episodes: int = 40) -> Hidden:
    return find_hidden(env, View("it"), episodes=episodes, steps=6, seconds=60.0)


def test_hidden_state_is_found() -> None:
    assert "went on differently in step" in str(look(Urn()).reason)
    found = look(gymnasium.make("Blackjack-v1"))
    assert "by action 0: the reward differed in distribution" in str(found.reason)


def test_nothing_is_found_where_nothing_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a rate of errors a hundred times the real one, two wrong looks of six have a probability of 0.2%."""
    monkeypatch.setattr("starspiel.envs.gymnasium.sampled.hidden.ERROR_RATE", 1e-2)
    wrong = 0
    for number in range(6):
        env = OneUrn()
        env.odds = (0.1 + 0.15 * number,)
        wrong += look(env, episodes=8).reason is not None
    assert wrong <= 1


def test_a_test_errs_as_often_as_it_says() -> None:
    """Over all tables of two samples of one coin, small probabilities come no more often than they say."""
    size, chance = 12, 0.3
    weights = [math.comb(size, k) * chance**k * (1 - chance) ** (size - k) for k in range(size + 1)]
    tables = [(a, b) for a in range(size + 1) for b in range(size + 1)]
    for level in (1e-1, 1e-2, 1e-3, 1e-4):
        assert sum(weights[a] * weights[b] for a, b in tables if fisher(a, size, b, size) <= level) <= level
    # The lady tasting tea: eight cups, four of a kind, all told rightly.
    assert fisher(4, 4, 0, 4) == pytest.approx(1 / 70)


def test_what_is_done_about_it() -> None:
    with pytest.warns(HiddenStateWarning, match="Urn has hidden state, which a search on its clones sees"):
        load_gymnasium(Urn())
    with pytest.raises(UnsupportedGameError, match="Urn has hidden state: episodes that had looked alike"):
        load_gymnasium(Urn(), hidden="refuse")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_game(Urn(), hidden="seen")
        load_gymnasium(OneUrn(), hidden="refuse")
        assert load_game("Blackjack-v1(hidden=redraw)").name == "Blackjack-v1(hidden=redraw)"
    with pytest.raises(StarspielError, match=r"hidden must be warn, redraw, seen or refuse, got 'redrew'"):
        load_gymnasium(Urn(), hidden="redrew")
    with pytest.raises(StarspielError, match="hidden: options of environments, and 'pig' is none"):
        load_game("pig", hidden="seen")
    with pytest.raises(StarspielError, match="in which nothing is hidden"):
        load_game("FrozenLake-v1(hidden=seen)")


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (Urn, r"ok     hidden state: .* found, and declared: hidden=seen"),
        (OneUrn, r"ok     hidden state: none found in [\d,]+ comparisons .* error rate 0.0001"),
        (NoTwoAlike, r"open   hidden state: not comparable: no two of [\d,]+ episodes looked alike"),
    ],
)
def test_the_check_says_what_it_knows(make: Any, line: str) -> None:
    report = check_game(load_gymnasium(make(), hidden="seen"), games=3, seconds=2)
    assert report.ok
    assert any(re.match(line, text) for text in str(report).splitlines()), str(report)


def test_the_check_fails_where_a_search_sees_what_is_hidden() -> None:
    with pytest.warns(HiddenStateWarning):
        game = load_gymnasium(Urn())
    report = check_game(game, games=3, seconds=6)
    assert report.failed == ["hidden state"]
    assert "Load it with hidden='redraw'" in str(report)
