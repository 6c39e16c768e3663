"""What one may declare of an environment: checked, part of its name, the same however it is loaded."""

import sys
from typing import Any

import gymnasium
import pytest

from starspiel.agents.env_agent import EnvAgent
from starspiel.envs.errors import StarspielError
from starspiel.envs.gymnasium.game import load_gymnasium
from starspiel.envs.load import load_game


def loaded(**options: Any) -> list[Any]:
    """The game of one environment by every way there is to load it with options."""
    lake = gymnasium.make("FrozenLake-v1")
    return [
        load_game("FrozenLake-v1", **options),
        load_game(lake, **options),
        load_gymnasium("FrozenLake-v1", **options),
        EnvAgent("random", lake, **options).game,
    ]


def test_every_way_to_load_takes_the_same_options() -> None:
    for game in loaded(horizon=7, discount=0.5):
        assert (game.horizon, game.discount) == (7, 0.5)
        assert game.name == "FrozenLake-v1(discount=0.5,horizon=7)"
        assert load_game(game.name).identity == game.identity


def test_an_unknown_option_is_refused_with_the_nearest_name() -> None:
    for load in (load_game, load_gymnasium):
        with pytest.raises(StarspielError, match=r"no option 'horizn'\. Did you mean 'horizon'\?"):
            load("FrozenLake-v1", horizn=7)


@pytest.mark.parametrize("game", ["pig", "cant_stop", load_game("pig")])
def test_options_of_environments_are_not_for_games(game: Any) -> None:
    with pytest.raises(StarspielError, match="horizon: options of environments"):
        load_game(game, horizon=7)


class Walk(gymnasium.Env[int, int]):
    """Steps on a line; one more is paid each time."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(100)

    def __init__(self, length: int = 3) -> None:
        self.length = length
        self.at = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = 0
        return self.at, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.at += 1
        return self.at, 1.0, self.at == self.length, False, {}


class OwnHorizon(Walk):
    def __init__(self, horizon: int = 3) -> None:
        super().__init__(horizon)


def test_options_in_the_string_of_a_module_are_for_loading_unless_the_class_takes_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "two_walks", sys.modules[__name__])
    game: Any = load_game("two_walks:Walk(length=9,discount=0.5,horizon=4)")
    assert (game.horizon, game.discount, game.env.unwrapped.length) == (4, 0.5, 9)
    assert game.name == "two_walks:Walk(discount=0.5,horizon=4,length=9)"
    by_keyword: Any = load_game("two_walks:Walk(length=9)", discount=0.5, horizon=4)
    assert by_keyword.name == game.name
    own: Any = load_game("two_walks:OwnHorizon(horizon=5)")
    assert (own.horizon, own.env.unwrapped.length) == (None, 5)
